//! The cache: a sequence in pieces is the sequence.

use crate::small::{Draws, config, decoder, farthest, row};
use maquette_train::model::{KvCache, ModelConfig, ModelError};
use tch::{Device, Kind, Tensor};

fn in_pieces(config: &ModelConfig, kind: Kind, tolerance: f64) {
    let (model, mut draws) = (decoder(config, 3, kind), Draws(0));
    let sequences: Vec<Vec<i64>> = (0..5)
        .map(|_| {
            let len = 20 + draws.below(45);
            draws.tokens(len)
        })
        .collect();
    let wholes: Vec<Tensor> = sequences.iter().map(|tokens| model.hidden(&row(tokens)).squeeze_dim(0)).collect();
    let mut cache = KvCache::new(config, 5, 64, Device::Cpu, kind);
    let mut calls = 0;
    while (0..5).any(|slot| cache.len(slot) < sequences[slot].len()) {
        // Neighbours in order, some of them, and backwards.
        let mut slots: Vec<usize> = (0..5).filter(|_| draws.below(4) > 0).collect();
        if draws.below(3) == 0 {
            slots.reverse();
        }
        if slots.is_empty() {
            continue;
        }
        let tokens = 1 + draws.below(9);
        let mut ids = Vec::new();
        let mut rows = Vec::new();
        for &slot in &slots {
            let before = cache.len(slot);
            let count = draws.below(tokens + 1).min(sequences[slot].len() - before);
            ids.extend_from_slice(&sequences[slot][before..before + count]);
            ids.extend(draws.tokens(tokens - count));
            rows.push((slot, before, count));
        }
        let counts: Vec<usize> = rows.iter().map(|&(_, _, count)| count).collect();
        let ids = Tensor::from_slice(&ids).view([slots.len() as i64, tokens as i64]);
        let pieces = model.extend(&mut cache, &slots, &ids, &counts).unwrap();
        assert_eq!(pieces.size(), [slots.len() as i64, tokens as i64, config.hidden_size]);
        assert!(!pieces.requires_grad());
        for (place, &(slot, before, count)) in rows.iter().enumerate().filter(|(_, row)| row.2 > 0) {
            let piece = pieces.get(place as i64).narrow(0, 0, count as i64);
            let whole = wholes[slot].narrow(0, before as i64, count as i64);
            let distance = farthest(&piece, &whole);
            assert!(distance <= tolerance, "slot {slot}, {count} tokens after {before}: {distance}");
            assert_eq!(cache.len(slot), before + count);
        }
        calls += 1;
    }
    assert!(calls > 10, "{calls}");
}

#[test]
fn pieces_give_what_the_whole_gives() {
    in_pieces(&config(), Kind::Float, 1e-5);
    in_pieces(&config(), Kind::Double, 1e-12);
    in_pieces(&ModelConfig { num_key_value_heads: 4, ..config() }, Kind::Float, 1e-5);
    in_pieces(&ModelConfig { num_key_value_heads: 1, head_dim: 12, ..config() }, Kind::Float, 1e-5);
}

#[test]
fn a_cleared_slot_is_as_new() {
    let (model, mut draws) = (decoder(&config(), 3, Kind::Float), Draws(0));
    let mut cache = KvCache::new(&config(), 2, 64, Device::Cpu, Kind::Float);
    let _ = model.extend(&mut cache, &[0, 1], &Tensor::from_slice(&draws.tokens(80)).view([2, 40]), &[40, 33]).unwrap();
    cache.clear(1);
    assert_eq!((cache.len(0), cache.len(1)), (40, 0));
    let ids = draws.tokens(12);
    let again = model.extend(&mut cache, &[1], &row(&ids), &[12]).unwrap();
    assert!(farthest(&again, &model.hidden(&row(&ids))) <= 1e-5);
}

#[test]
fn a_full_slot_refuses_and_nothing_changes() {
    let (model, mut draws) = (decoder(&config(), 3, Kind::Float), Draws(0));
    let mut cache = KvCache::new(&config(), 3, 20, Device::Cpu, Kind::Float);
    let first = draws.tokens(20);
    let _ = model.extend(&mut cache, &[0], &row(&first[..19]), &[19]).unwrap();
    let two = Tensor::from_slice(&[1_i64, 2, 3, 4]).view([2, 2]);
    match model.extend(&mut cache, &[1, 0], &two, &[2, 2]) {
        Err(ModelError::ContextFull { slot: 0, len: 21, context: 20 }) => {}
        other => panic!("{:?}", other.map(|hidden| hidden.size())),
    }
    assert_eq!((cache.len(0), cache.len(1)), (19, 0));
    // The last place can be taken, beside a row that is only padding.
    let ids = Tensor::from_slice(&[first[19], 7, 8, 9]).view([2, 2]);
    let last = model.extend(&mut cache, &[0, 2], &ids, &[1, 0]).unwrap().get(0).narrow(0, 0, 1);
    assert!(farthest(&last, &model.hidden(&row(&first)).get(0).narrow(0, 19, 1)) <= 1e-5);
    assert_eq!((cache.len(0), cache.len(2)), (20, 0));
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let model = decoder(&config(), 3, Kind::Float);
    let mut cache = KvCache::new(&config(), 2, 20, Device::Cpu, Kind::Float);
    let ids = Tensor::from_slice(&[1_i64, 2, 3, 4]).view([2, 2]);
    for (slots, counts) in
        [(vec![0], vec![1]), (vec![0, 0], vec![1, 1]), (vec![0, 2], vec![1, 1]), (vec![0, 1], vec![3, 1])]
    {
        let refused = model.extend(&mut cache, &slots, &ids, &counts);
        assert!(matches!(refused, Err(ModelError::Rows(_))), "{slots:?} {counts:?}");
    }
    assert_eq!((cache.len(0), cache.len(1)), (0, 0));
}

#[test]
fn a_slot_that_begins_as_another_goes_on_as_it() {
    let config = config();
    let (model, mut draws) = (decoder(&config, 3, Kind::Float), Draws(0));
    let mut cache = KvCache::new(&config, 3, 64, Device::Cpu, Kind::Float);
    let tokens = draws.tokens(17);
    let _ = model.extend(&mut cache, &[2], &row(&draws.tokens(30)), &[30]).unwrap();
    let _ = model.extend(&mut cache, &[0], &row(&tokens), &[17]).unwrap();
    let prefix = cache.prefix(0);
    // What the slot held before is forgotten, and what the first one reads later is its own.
    cache.begin(2, &prefix);
    assert_eq!([0, 1, 2].map(|slot| cache.len(slot)), [17, 0, 17]);
    let next = row(&draws.tokens(3));
    let [first, copy] = [0, 2].map(|slot| model.extend(&mut cache, &[slot], &next, &[3]).unwrap());
    assert_eq!(first, copy);
    cache.begin(1, &prefix);
    assert_eq!(model.extend(&mut cache, &[1], &next, &[3]).unwrap(), first);
}
