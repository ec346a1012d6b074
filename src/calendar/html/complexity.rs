//! A limit on the cost of parsing a text as HTML.
//!
//! An HTML parser compares each tag with the open elements, reopens formatting elements in each paragraph, moves
//! misplaced parts of tables, and compares each attribute with the previous ones. Each of these takes quadratic time on
//! some inputs. [`Budget`] therefore first parses a text with html5ever into a [`TreeSink`] that builds no tree but
//! counts the operations of the tree builder, and stops when there are too many.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

use html5ever::{
    Attribute, ExpandedName, ParseOpts, QualName,
    driver::{Parser, parse_fragment},
    local_name, ns,
    tendril::{StrTendril, TendrilSink},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};
use thiserror::Error;

/// The maximum nesting of elements. Pages made of nested tables reach about 40.
const MAX_DEPTH: usize = 100;

/// The maximum cost of one text. The costs below are roughly the nanoseconds that this parser and that of the sanitiser
/// take together on a slow machine (see `benches/texts`).
const MAX_COST: u64 = 17_000_000;
const BYTE_COST: u64 = 5;
const COMPARISON_COST: u64 = 6;
const ATTRIBUTE_COMPARISON_COST: u64 = 2;
const NODE_COST: u64 = 800;
const ATTRIBUTE_COST: u64 = 800;
const INSERTION_COST: u64 = 300;
const ERROR_COST: u64 = 200;
/// html5ever's serialiser searches the rest of a text again after each character that it escapes.
const SEARCHED_BYTES_PER_NANOSECOND: u64 = 24;
const ESCAPE_COST: u64 = 100;

/// The costs are checked after each chunk.
const CHUNK_BYTES: usize = 256;

/// Why a text is rejected.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum TooComplex {
    #[error("must not nest elements more than {MAX_DEPTH} deep")]
    Depth,
    #[error("must have simpler markup: fewer elements and attributes, each element closed where it should be")]
    Cost,
}

/// The remaining cost of parsing one text, possibly several times.
pub(super) struct Budget {
    remaining: u64,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { remaining: MAX_COST }
    }

    /// Parses the text within the budget. Returns whether it is regular: it has no parse errors, and `is_allowed`
    /// accepts the names of all its elements. A regular text, serialised again, is parsed into the same tree.
    pub(super) fn parse(&mut self, html: &str, is_allowed: impl Fn(&str) -> bool) -> Result<bool, TooComplex> {
        let mut parser = parser(CostCounter {
            is_allowed,
            remaining: Cell::new(self.remaining),
            depth: Cell::default(),
            nodes: Cell::default(),
            calls: Cell::default(),
            text_run: Cell::default(),
            is_regular: Cell::new(true),
            document: node(QualName::new(None, ns!(), local_name!("")), false),
        });
        let mut attributes = AttributeCounter::default();
        let mut rest = html;
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(rest.ceil_char_boundary(CHUNK_BYTES));
            rest = after;
            let counter = &parser.tokenizer.sink.sink;
            counter.charge(BYTE_COST * len(chunk));
            counter.charge(ATTRIBUTE_COMPARISON_COST * attributes.count_comparisons(chunk, counter.calls.get()));
            counter.check()?;
            parser.process(StrTendril::from(chunk));
        }
        let counter = parser.finish();
        counter.check()?;
        self.remaining = counter.remaining.get();
        Ok(counter.is_regular.get())
    }
}

/// Parses a fragment in the same context as ammonia: a `div`.
fn parser<S: TreeSink>(sink: S) -> Parser<S> {
    let context = QualName::new(None, ns!(html), local_name!("div"));
    parse_fragment(sink, ParseOpts::default(), context, Vec::new(), false)
}

fn len(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// Estimates the attributes that the tokenizer holds. It compares each attribute with all previous ones of the tag, and
/// emits the tag only at its end.
#[derive(Default)]
struct AttributeCounter {
    /// Upper bound of the attributes in the unfinished tag.
    pending: u64,
    /// Calls of the tree builder so far. If it has made more, a tag has ended since.
    calls: u64,
    previous_byte: u8,
}

impl AttributeCounter {
    /// Upper bound of the attribute comparisons in the chunk.
    fn count_comparisons(&mut self, chunk: &str, calls: u64) -> u64 {
        let separates = |byte: u8| byte.is_ascii_whitespace() || byte == b'/';
        let mut names = 0;
        for byte in chunk.bytes() {
            // A name follows a separator or a quoted value.
            let may_begin = separates(self.previous_byte) || matches!(self.previous_byte, b'"' | b'\'');
            names += u64::from(may_begin && !separates(byte));
            self.previous_byte = byte;
        }
        if calls != self.calls {
            self.pending = 0;
            self.calls = calls;
        }
        self.pending += names;
        self.pending * names
    }
}

/// A node of the tree: an element, the document, or a removed node.
struct Node {
    name: QualName,
    parent: RefCell<Option<Handle>>,
    is_integration_point: bool,
}

type Handle = Rc<Node>;

fn node(name: QualName, is_integration_point: bool) -> Handle {
    Rc::new(Node {
        name,
        parent: RefCell::default(),
        is_integration_point,
    })
}

/// A [`TreeSink`] that charges the operations of the tree builder to the budget.
struct CostCounter<K> {
    is_allowed: K,
    remaining: Cell<u64>,
    depth: Cell<usize>,
    nodes: Cell<u64>,
    calls: Cell<u64>,
    /// The length of the text inserted last, and how many of its bytes are escaped.
    text_run: Cell<(u64, u64)>,
    is_regular: Cell<bool>,
    document: Handle,
}

impl<K> CostCounter<K> {
    fn charge(&self, cost: u64) {
        self.remaining.set(self.remaining.get().saturating_sub(cost));
    }

    fn charge_call(&self, cost: u64) {
        self.calls.set(self.calls.get() + 1);
        self.charge(cost);
    }

    fn check(&self) -> Result<(), TooComplex> {
        if self.depth.get() > MAX_DEPTH {
            Err(TooComplex::Depth)
        } else if self.remaining.get() == 0 {
            Err(TooComplex::Cost)
        } else {
            Ok(())
        }
    }

    fn create(&self, name: QualName, is_integration_point: bool) -> Handle {
        self.charge_call(NODE_COST);
        self.nodes.set(self.nodes.get() + 1);
        node(name, is_integration_point)
    }

    /// A node that the sanitiser removes, such as a comment.
    fn create_removed(&self) -> Handle {
        self.is_regular.set(false);
        self.create(self.document.name.clone(), false)
    }

    fn insert(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.charge_call(INSERTION_COST);
        match child {
            NodeOrText::AppendText(text) => {
                let escaped = text.bytes().filter(|byte| matches!(byte, b'&' | 0xc2));
                let escaped = u64::try_from(escaped.count()).unwrap_or(u64::MAX);
                let (bytes, before) = self.text_run.get();
                let run = (bytes + len(&text), before + escaped);
                self.text_run.set(run);
                let searched = run.0 * run.1 - bytes * before;
                self.charge(searched / SEARCHED_BYTES_PER_NANOSECOND + ESCAPE_COST * escaped);
            }
            NodeOrText::AppendNode(child) => {
                self.text_run.set((0, 0));
                *child.parent.borrow_mut() = Some(parent.clone());
                let depth = std::iter::successors(Some(child), |node| node.parent.borrow().clone())
                    .take(MAX_DEPTH + 3)
                    .count();
                // The root and the context element are above the elements of the text.
                self.depth.set(self.depth.get().max(depth.saturating_sub(2)));
                self.charge(u64::try_from(depth).unwrap_or(u64::MAX));
            }
        }
    }

    /// Charges a change of child nodes, for which their position has to be searched.
    fn charge_rearrangement(&self) {
        self.charge_call(INSERTION_COST + self.nodes.get());
    }
}

impl<K: Fn(&str) -> bool> TreeSink for CostCounter<K> {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a>
        = ExpandedName<'a>
    where
        K: 'a;

    fn finish(self) -> Self {
        self
    }

    /// Not counted as a call: the tokenizer reports errors within a tag.
    fn parse_error(&self, _message: Cow<'static, str>) {
        self.is_regular.set(false);
        self.charge(ERROR_COST);
    }

    fn get_document(&self) -> Handle {
        self.document.clone()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.charge_call(COMPARISON_COST);
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.charge(ATTRIBUTE_COST * u64::try_from(attributes.len()).unwrap_or(u64::MAX));
        let is_kept = name.ns == ns!(html) && (self.is_allowed)(&name.local);
        // The parser itself creates the root element.
        if !is_kept && self.nodes.get() > 1 {
            self.is_regular.set(false);
        }
        self.create(name, flags.mathml_annotation_xml_integration_point)
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.create_removed()
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.create_removed()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        self.charge_rearrangement();
        let parent = element.parent.borrow().clone();
        self.insert(parent.as_ref().unwrap_or(previous), child);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        self.is_regular.set(false);
    }

    /// Counts the content of a template as nested in it.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.charge_call(COMPARISON_COST);
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.charge_rearrangement();
        let parent = sibling.parent.borrow().clone();
        self.insert(parent.as_ref().unwrap_or(sibling), child);
    }

    fn add_attrs_if_missing(&self, _target: &Handle, attributes: Vec<Attribute>) {
        self.charge_call(ATTRIBUTE_COST * u64::try_from(attributes.len()).unwrap_or(u64::MAX));
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.charge_rearrangement();
        target.parent.take();
    }

    fn reparent_children(&self, _node: &Handle, _new_parent: &Handle) {
        self.charge_rearrangement();
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.is_integration_point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(html: &str) -> Result<bool, TooComplex> {
        Budget::new().parse(html, |name| !matches!(name, "object" | "script"))
    }

    #[test]
    fn depth_limit() {
        let nested = |depth: usize| format!("{}x{}", "<div>".repeat(depth), "</div>".repeat(depth));
        assert_eq!(parse(&nested(MAX_DEPTH)), Ok(true));
        assert_eq!(parse(&nested(MAX_DEPTH + 1)), Err(TooComplex::Depth));
        for open in [
            "<ul><li>",
            "<b>",
            "<table><td>",
            "<div></x>",
            "<template>",
            "<math><annotation-xml encoding=text/html><div>",
        ] {
            assert_eq!(parse(&open.repeat(200)), Err(TooComplex::Depth), "{open}");
        }
        assert_eq!(parse(&"<p>x<li>y<br>".repeat(200)), Ok(true));
    }

    #[test]
    fn regular_html() {
        for (html, is_regular) in [
            ("<p>one<p>two", true),
            ("<ul><li>a<li>b</ul><a href=x>&amp;</a>", true),
            ("A &lt; B", true),
            ("A < B", false),
            ("<b>open", false),
            ("<b><p></b>", false),
            ("<table>x</table>", false),
            ("<object>x</object>", false),
            ("<!-- x -->", false),
        ] {
            assert_eq!(parse(html), Ok(is_regular), "{html}");
        }
    }

    #[test]
    fn cost_limit() {
        let formatting: String = (0..50).map(|number| format!("<b a{number}>")).collect();
        let attributes: String = (0..20_000).map(|number| format!("a{number} ")).collect();
        for html in [
            format!("<p>{formatting}</p>{}", "<p>x".repeat(10_000)),
            format!("<p {attributes}>"),
            format!("<table>{}", "x<tr>".repeat(10_000)),
            "&".repeat(100_000),
        ] {
            assert_eq!(parse(&html), Err(TooComplex::Cost), "{html:.80}");
        }
    }

    #[test]
    fn long_text_within_budget() {
        for unit in [
            "<p>One <b>two</b> three <a href=\"https://example.org/\">four</a> &amp; five.</p>\n",
            "<li>Some words</li>\n",
            "plain text ",
            "字",
        ] {
            let html = unit.repeat(100_000 / unit.chars().count());
            assert_eq!(parse(&html), Ok(true), "{unit}");
        }
    }
}
