//! The example `cartpole`: its physics are Gymnasium's, its parts are what their docs say, and it learns.

#[path = "../../examples/cartpole/agent.rs"]
mod agent;
#[path = "../../examples/cartpole/experience.rs"]
mod experience;
#[path = "../../examples/cartpole/learner.rs"]
mod learner;
#[path = "../../examples/cartpole/physics.rs"]
mod physics;

use agent::{Agent, tensor};
use experience::{Experience, GAMMA, Step};
use learner::Learner;
use physics::{CartPole, End, State};
use std::collections::BTreeSet;
use tch::{Kind, Tensor};

const SOMEWHERE: State = [0.02, -0.03, 0.04, 0.01];

/// By CartPole-v1 of the Python package `gymnasium` 1.2.0, with its state set to `SOMEWHERE` after the reset.
const GYMNASIUM: [(bool, State); 20] = [
    (true, [0.0194, 0.16452614664163978, 0.0402, -0.2697989554581428]),
    (true, [0.022690522932832795, 0.35905205635149195, 0.034804020890837145, -0.5495364635525646]),
    (false, [0.029871564059862632, 0.16345894861250143, 0.023813291619785855, -0.24609416188543065]),
    (true, [0.03314074303211266, 0.3582328381053459, 0.018891408382077243, -0.5311717157343501]),
    (false, [0.04030539979421958, 0.16285032220042348, 0.008267974067390242, -0.2325964934750832]),
    (false, [0.043562406238228046, -0.0323887855255221, 0.0036160441978885776, 0.06268291503178336]),
    (false, [0.0429146305277176, -0.22756239506284806, 0.0048697024985242445, 0.35650452998244514]),
    (true, [0.03836338262646064, -0.03251001602675099, 0.011999793098173148, 0.06536111740193212]),
    (true, [0.03771318230592562, 0.1624378532161308, 0.013307015446211792, -0.22351177856731907]),
    (true, [0.04096193937024824, 0.3573671079248862, 0.008836779874865409, -0.5119676258659538]),
    (true, [0.04810928152874596, 0.5523634789376107, -0.0014025726424536679, -0.801852782731883]),
    (true, [0.05915655110749818, 0.7475046371724205, -0.01743962829709133, -1.0949765883930969]),
    (false, [0.07410664385094659, 0.5526166830387318, -0.03933916006495326, -0.8078161018978898]),
    (false, [0.08515897751172123, 0.3580553123541692, -0.05549548210291106, -0.5277625698497456]),
    (true, [0.09232008375880461, 0.553912353730738, -0.06605073349990598, -0.8374031535137502]),
    (false, [0.10339833083341937, 0.3597516491412182, -0.08279879657018098, -0.5662019631998687]),
    (false, [0.11059336381624374, 0.16588289584224766, -0.09412283583417835, -0.3007101262061019]),
    (false, [0.11391102173308869, -0.02778027828168944, -0.10013703835830039, -0.0391324510557734]),
    (true, [0.1133554161674549, 0.16862443026765328, -0.10091968737941585, -0.36165478462930717]),
    (true, [0.11672790477280796, 0.365025187238066, -0.10815278307200199, -0.684377017897353]),
];

#[test]
fn twenty_steps_are_those_of_gymnasium() {
    let mut cart = CartPole { state: SOMEWHERE, steps: 0 };
    for (step, (right, expected)) in GYMNASIUM.into_iter().enumerate() {
        assert_eq!(cart.push(right), None);
        for (ours, theirs) in cart.state.into_iter().zip(expected) {
            assert!((ours - theirs).abs() <= 1e-12, "step {step}: {:?}, Gymnasium {expected:?}", cart.state);
        }
    }
}

/// Steps until the end, which Gymnasium 1.2.0 has at the same step for each of these.
fn ends(state: State, right: impl Fn(&State) -> bool) -> (u32, End) {
    let mut cart = CartPole { state, steps: 0 };
    loop {
        let right = right(&cart.state);
        if let Some(end) = cart.push(right) {
            return (cart.steps, end);
        }
    }
}

#[test]
fn episodes_end_where_gymnasium_ends_them() {
    assert_eq!(ends([0.0; 4], |_| true), (9, End::Fallen));
    assert_eq!(ends([2.39, 1.0, 0.0, 0.0], |_| true), (1, End::Fallen));
    assert_eq!(ends(SOMEWHERE, |state| state.iter().sum::<f64>() > 0.0), (133, End::Fallen));
    assert_eq!(ends(SOMEWHERE, |&[_, _, tilt, turn]| 3.0 * tilt + turn > 0.0), (500, End::TimeUp));
}

#[test]
fn starts_are_near_upright_and_differ() {
    let starts: Vec<State> = (0..200).map(|episode| CartPole::start(5, episode).state).collect();
    let numbers: Vec<f64> = starts.concat();
    assert!(numbers.iter().all(|number| number.abs() <= 0.05));
    assert!(numbers.iter().any(|&number| number > 0.045) && numbers.iter().any(|&number| number < -0.045));
    let different: BTreeSet<u64> = numbers.iter().map(|number| number.to_bits()).collect();
    assert_eq!(different.len(), numbers.len());
    assert_ne!(CartPole::start(6, 0), CartPole::start(5, 0));
}

#[test]
fn first_weights_are_orthogonal() {
    let agent = Agent::new(3);
    for (name, squared_length) in
        [("actor.0", 2.0), ("actor.1", 2.0), ("actor.2", 1e-4), ("critic.0", 2.0), ("critic.1", 2.0), ("critic.2", 1.0)]
    {
        let weight = agent.parameters[&format!("{name}.weight")].detach();
        let long = if weight.size()[0] > weight.size()[1] { weight } else { weight.tr() };
        let products = long.tr().matmul(&long) / squared_length;
        let identity = Tensor::eye(long.size()[1], tch::kind::FLOAT_CPU);
        assert!(products.allclose(&identity, 0.0, 1e-5, false), "{name}");
        assert_eq!(agent.parameters[&format!("{name}.bias")].abs().sum(Kind::Double).double_value(&[]), 0.0);
    }
    assert_ne!(agent.parameters["actor.1.weight"], agent.parameters["critic.1.weight"]);
}

#[test]
fn what_follows_counts_unless_the_pole_fell() {
    let agent = Agent::new(1);
    let next = [0.5, -1.0, 0.1, 0.7];
    let following = agent.values(&tensor([next].into_iter())).double_value(&[0]);
    assert!(following.abs() > 1e-2, "{following} shows nothing");
    for (end, expected) in
        [(Some(End::Fallen), 1.0), (Some(End::TimeUp), 1.0 + GAMMA * following), (None, 1.0 + GAMMA * following)]
    {
        let step = Step { state: SOMEWHERE, action: 1, log_prob: -0.7, value: 0.25, next, end };
        let fallen = Step { end: Some(End::Fallen), ..step };
        let of = Experience::of(&[vec![fallen, step], vec![fallen]], &agent).unwrap();
        let returns = Vec::<f64>::try_from(&of.returns).unwrap();
        assert_eq!(returns.len(), 3);
        for (place, expected) in [(0, 1.0), (1, expected), (2, 1.0)] {
            assert!((returns[place] - expected).abs() < 1e-6, "{end:?}: {returns:?}, {expected} at {place}");
            assert!((of.advantages[place] - (expected - 0.25)).abs() < 1e-6, "{end:?}: {:?}", of.advantages);
        }
    }
}

#[test]
fn equal_seeds_learn_equally() {
    tch::set_num_threads(1);
    let run = |seed| {
        let mut learner = Learner::new(seed, 4096);
        while !learner.is_done() {
            learner.update().unwrap();
        }
        learner
    };
    let (one, again, other) = (run(1), run(1), run(2));
    assert_eq!((one.steps(), one.returns.clone()), (4096, again.returns.clone()));
    assert_eq!(one.agent.parameters, again.agent.parameters);
    assert_ne!(one.returns, other.returns);
}

/// A pole falls after some 22 random pushes; a fifth of the steps of `make learn` keep it up for more than 150.
#[test]
fn ppo_learns_to_balance() {
    tch::set_num_threads(1);
    let mut learner = Learner::new(1, 100_000);
    while !learner.is_done() {
        learner.update().unwrap();
    }
    let first = learner.returns.iter().take(50).sum::<f64>() / 50.0;
    let last = learner.mean_return(50);
    assert!(first < 50.0 && last >= 150.0, "mean return of the first 50 episodes {first}, of the last {last}");
}
