//! The tokens that a policy may write by their bytes.

use crate::tokens::{Token, Tokenizer};

/// Where tokens with some bytes in common part; 0 is the root.
pub(super) type NodeId = u32;

/// Special tokens are not in it; of several tokens with the same bytes it holds the first.
pub(super) struct Trie {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    /// By byte, ascending.
    children: Vec<(u8, NodeId)>,
    /// The one that ends here.
    token: Option<Token>,
}

pub(super) const ROOT: NodeId = 0;

impl Trie {
    pub(super) fn new(tokenizer: &dyn Tokenizer) -> Self {
        let mut trie = Self { nodes: vec![Node::default()] };
        for token in (0..tokenizer.vocab_size()).filter_map(|id| Token::try_from(id).ok()) {
            let bytes = tokenizer.bytes_of(token);
            if !bytes.is_empty() && token != tokenizer.end() && tokenizer.writable().contains(token) {
                let node = bytes.iter().fold(ROOT, |node, byte| trie.grown(node, *byte));
                let node = &mut trie.nodes[node as usize];
                node.token = node.token.or(Some(token));
            }
        }
        trie
    }

    fn grown(&mut self, node: NodeId, byte: u8) -> NodeId {
        let added = self.nodes.len() as NodeId;
        let children = &mut self.nodes[node as usize].children;
        match children.binary_search_by_key(&byte, |(byte, _)| *byte) {
            Ok(place) => children[place].1,
            Err(place) => {
                children.insert(place, (byte, added));
                self.nodes.push(Node::default());
                added
            }
        }
    }

    pub(super) fn children(&self, node: NodeId) -> &[(u8, NodeId)] {
        &self.nodes[node as usize].children
    }

    pub(super) fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        let children = self.children(node);
        let place = children.binary_search_by_key(&byte, |(byte, _)| *byte).ok()?;
        Some(children[place].1)
    }

    pub(super) fn token(&self, node: NodeId) -> Option<Token> {
        self.nodes[node as usize].token
    }

    /// Each byte is a token.
    pub(super) fn spells_anything(&self) -> bool {
        self.children(ROOT).iter().filter(|(_, node)| self.token(*node).is_some()).count() == 256
    }
}
