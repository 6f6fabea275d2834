//! What happened, and whether it may.

use crate::memory::{Memory, resident_kib};
use renderer::{Fault, Picture, RenderError};
use rl_protocol::{DomainError, Outcome, Reward};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::ExitCode;

/// One panic and one lost device.
const FAULTS: usize = 2;
const BEAUTY_PX: (u32, u32) = (512, 384);
const STILL_PX: (u32, u32) = (256, 192);

#[derive(Default)]
pub(crate) struct Tally {
    pictures: usize,
    /// Of a scene that another client had, too.
    compared: usize,
    stills: usize,
    scores: usize,
    /// What became of the faulty pictures, where it is what should.
    failed: Vec<String>,
    pub(crate) wrong: Vec<String>,
    /// State hash to hash of the picture.
    known: BTreeMap<Vec<u8>, u64>,
    resident_kib: Vec<u64>,
}

impl Tally {
    pub(crate) fn seen(&mut self, scene: Vec<u8>, seen: Result<Vec<u8>, DomainError>) {
        let png = match seen {
            Ok(png) => png,
            Err(error) => return self.wrong.push(error.to_string()),
        };
        self.pictures += 1;
        self.resident_kib.extend(resident_kib());
        self.sized("beauty.png", &png, BEAUTY_PX);
        let mut hasher = DefaultHasher::new();
        png.hash(&mut hasher);
        let hash = hasher.finish();
        match self.known.get(&scene) {
            Some(known) => {
                self.compared += 1;
                if *known != hash {
                    self.wrong.push("two pictures of one scene differ".into());
                }
            }
            None => {
                self.known.insert(scene, hash);
            }
        }
    }

    pub(crate) fn still(&mut self, still: anyhow::Result<Vec<u8>>) {
        match still {
            Ok(png) => {
                self.stills += 1;
                self.sized("render.still", &png, STILL_PX);
            }
            Err(error) => self.wrong.push(format!("render.still: {error:#}")),
        }
    }

    pub(crate) fn scored(&mut self, reward: Result<Reward, DomainError>) {
        match reward.map(|reward| reward.outcome) {
            Ok(Outcome::Value(_)) => self.scores += 1,
            Ok(Outcome::Unscorable(why)) => self.wrong.push(format!("{}: {}", why.code, why.message)),
            Err(error) => self.wrong.push(format!("score: {error}")),
        }
    }

    pub(crate) fn faulty(&mut self, fault: Fault, drawn: Result<Picture, RenderError>) {
        match (fault, drawn) {
            (Fault::Panic, Err(error @ RenderError::Panicked { .. }))
            | (Fault::LoseDevice, Err(error @ RenderError::DeviceLost { .. })) => self.failed.push(error.to_string()),
            (fault, Err(error)) => self.wrong.push(format!("{fault:?}: {error}")),
            (fault, Ok(_)) => self.wrong.push(format!("{fault:?} did no harm")),
        }
    }

    /// The PNG's header says width and height.
    fn sized(&mut self, what: &str, png: &[u8], (width, height): (u32, u32)) {
        let header = [width.to_be_bytes(), height.to_be_bytes()].concat();
        if png.get(16..24) != Some(header.as_slice()) {
            self.wrong.push(format!("{what} is no PNG of {width} × {height} pixels"));
        }
    }

    /// Prints all of it.
    pub(crate) fn verdict(&self) -> ExitCode {
        println!(
            "{} pictures ({} compared with another client's of the same scene), {} stills, {} scores",
            self.pictures, self.compared, self.stills, self.scores
        );
        println!("{} pictures beside them failed as they should; {FAULTS} are expected", self.failed.len());
        self.failed.iter().for_each(|text| println!("  {text}"));
        println!("{} other failures; 0 are expected", self.wrong.len());
        self.wrong.iter().take(20).for_each(|text| println!("  {text}"));
        let is_flat = match Memory::of(&self.resident_kib) {
            Some(memory) => {
                let mib = |kib: u64| kib as f64 / 1024.0;
                println!(
                    "resident memory: {:.0} MiB when warm, {:.0} MiB at the end, largest deviation {:.1} % ({:.0} % \
                     are allowed)",
                    mib(memory.warm_kib),
                    mib(memory.end_kib),
                    memory.largest_deviation * 100.0,
                    memory.deviation_max * 100.0
                );
                memory.largest_deviation <= memory.deviation_max
            }
            None => {
                println!("resident memory: too few samples to judge");
                false
            }
        };
        let is_well = is_flat && self.failed.len() == FAULTS && self.wrong.is_empty() && self.compared > 0;
        if is_well { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}
