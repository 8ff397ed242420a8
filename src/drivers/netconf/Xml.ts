/**
 * Strict XML of a device, as a small tree: namespaces are resolved, nothing is expanded, and depth and size are bounded. What is not
 * well-formed, has a DOCTYPE or an entity of its own is refused, because a configuration that is half understood would be compared
 * and written back as if it were whole. Elements are told apart by their local names: some servers have namespaces of their own.
 */
import { Result } from "effect"
import { SaxesParser, type SaxesTagNS } from "saxes"

export interface Element {
  /** Without its prefix. */
  readonly name: string
  readonly uri: string
  /** By their local names, without declarations of namespaces. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: ReadonlyArray<Element>
  /** The text directly in the element. */
  readonly text: string
  /** The namespaces of prefixes that its text uses, as values of some types do. */
  readonly prefixes: ReadonlyMap<string, string>
}

/** Why a text was refused, and its line, counted from 1. */
export interface XmlFault {
  readonly message: string
  readonly line: number
}

const MOST_DEPTH = 128
/** Elements and attributes. */
const MOST_NODES = 500_000

/** Characters that are read before it is asked whether to go on. */
const PIECE = 4 * 1024

const usedPrefix = /([A-Za-z_][\w.-]*):(?=[A-Za-z_])/g

interface Open {
  readonly name: string
  readonly uri: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: Array<Element>
  readonly texts: Array<string>
}

/** Shared, because most elements have no attributes and few values a prefix. */
const NONE: ReadonlyMap<string, string> = new Map()

const attributesIn = ({ attributes }: SaxesTagNS): ReadonlyMap<string, string> => {
  const given = Object.values(attributes).filter(({ name, prefix }) => prefix !== "xmlns" && name !== "xmlns")
  return given.length === 0 ? NONE : new Map(given.map(({ local, value }) => [local, value]))
}

const opened = (tag: SaxesTagNS): Open => ({
  name: tag.local,
  uri: tag.uri,
  attributes: attributesIn(tag),
  children: [],
  texts: []
})

/** The most characters of a text that may be a value with prefixes. */
const LONGEST_VALUE = 4_096

// Most of a long message is the text of a configuration, and the parser looks at each of its characters. So it gets a short sign in the
// place of each long run of them that can be nothing but text, and the run is put back into what it has read.

const SIGN = "\uE000"
const END = "\uE001"

/** Between two tags; characters that need no look, and references. */
const longRuns = /(?<=>)[\t\n\x20-\x3b\x3d\x3f-\x7e]{256,}(?=<)/g

const REFERENCES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }
const otherReference = /&(?!(?:lt|gt|amp|quot|apos);)/
const reference = /&(\w+);/g

const signs = new RegExp(`${SIGN}(\\d+)${END}`, "g")

/** Reads a whole document. */
export const parse = (text: string): Result.Result<Element, XmlFault> => {
  const runs: Array<string> = []
  // what looks like a reference is none in CDATA, and a reference by number may be a sign
  if ([SIGN, "<![CDATA[", "&#"].some((part) => text.includes(part))) return parseWith(text, runs)
  const short = text.replace(longRuns, (run) => {
    if (otherReference.test(run)) return run
    const said = run.includes("&") ? run.replace(reference, (_, name: string) => REFERENCES[name] ?? "") : run
    return `${SIGN}${runs.push(said) - 1}${END}`
  })
  const read = parseWith(short, runs)
  // the line of a fault is that of the whole text
  return Result.isFailure(read) && runs.length > 0 ? parseWith(text, []) : read
}

const parseWith = (text: string, runs: ReadonlyArray<string>): Result.Result<Element, XmlFault> => {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true })
  const open: Array<Open> = []
  const found: { root: Element | null; fault: XmlFault | null; nodes: number } = { root: null, fault: null, nodes: 0 }

  const refuse = (message: string): void => {
    found.fault ??= { message, line: parser.line }
  }
  const prefixesIn = (said: string): ReadonlyMap<string, string> => {
    // a configuration as text is no value with a prefix
    if (said.length > LONGEST_VALUE || !said.includes(":")) return NONE
    const bound = [...said.matchAll(usedPrefix)].flatMap(([, prefix = ""]): ReadonlyArray<[string, string]> => {
      const uri = parser.resolve(prefix)
      return uri === undefined ? [] : [[prefix, uri]]
    })
    return bound.length === 0 ? NONE : new Map(bound)
  }

  // its own words begin with the place
  parser.on("error", ({ message }) => refuse(message.replace(/^\d+:\d+: /, "")))
  parser.on("doctype", () => refuse("it has a DOCTYPE"))
  parser.on("xmldecl", ({ encoding = "utf-8" }) => {
    if (!/^(?:utf-8|us-ascii)$/i.test(encoding)) refuse(`its encoding is ${encoding}`)
  })
  parser.on("opentag", (tag) => {
    found.nodes += 1 + Object.keys(tag.attributes).length
    if (found.nodes > MOST_NODES) refuse(`it has more than ${MOST_NODES} elements and attributes`)
    if (open.length >= MOST_DEPTH) refuse(`it is deeper than ${MOST_DEPTH} elements`)
    if (found.fault === null) open.push(opened(tag))
  })
  const add = (said: string): void => {
    open.at(-1)?.texts.push(said)
  }
  parser.on("text", add)
  parser.on("cdata", add)
  parser.on("closetag", () => {
    const closed = found.fault === null ? open.pop() : undefined
    if (closed === undefined) return
    const { texts, ...rest } = closed
    const read = texts.join("")
    const said = runs.length === 0 ? read : read.replace(signs, (_, at: string) => runs[Number(at)] ?? "")
    const element: Element = { ...rest, text: said, prefixes: prefixesIn(said) }
    const parent = open.at(-1)
    if (parent === undefined) found.root = element
    else parent.children.push(element)
  })

  for (let at = 0; at < text.length && found.fault === null; at += PIECE) parser.write(text.slice(at, at + PIECE))
  if (found.fault === null) parser.close()
  if (found.fault !== null) return Result.fail(found.fault)
  return found.root === null ? Result.fail({ message: "it has no element", line: 1 }) : Result.succeed(found.root)
}

/** Text as content of an element or of an attribute. */
export const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // a reader would make a line feed of it
    .replaceAll("\r", "&#13;")

/** The first child of this name. */
export const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((one) => one.name === name)

/** The text of a child without blanks around it; empty without one. */
export const textOf = (element: Element | undefined, name: string): string => child(element, name)?.text.trim() ?? ""

/** All elements of this name at any depth, from the first; those inside of one are part of it. */
export const findAll = (element: Element, name: string): ReadonlyArray<Element> =>
  element.children.flatMap((one) => (one.name === name ? [one] : findAll(one, name)))

const attributesOf = (element: Element, outerUri: string): string => {
  const own = element.uri === outerUri ? [] : [["xmlns", element.uri] as const]
  const bound = Array.from(element.prefixes, ([prefix, uri]) => [`xmlns:${prefix}`, uri] as const)
  return [...own, ...bound, ...element.attributes].map(([name, value]) => ` ${name}="${escape(value)}"`).join("")
}

/**
 * The elements as lines in one form, whatever prefixes and blanks the server has written: each value on a line of its own, sections
 * by indentation. Elements with children have no text of their own in NETCONF; what stands beside children is left out.
 */
export const render = (elements: ReadonlyArray<Element>, outerUri = "", indent = ""): string =>
  elements
    .map((element) => {
      const start = `${indent}<${element.name}${attributesOf(element, outerUri)}`
      if (element.children.length > 0) {
        return `${start}>\n${render(element.children, element.uri, `${indent}  `)}${indent}</${element.name}>\n`
      }
      // blanks alone are the line break that a server writes into an empty container
      return element.text.trim() === "" ? `${start}/>\n` : `${start}>${escape(element.text)}</${element.name}>\n`
    })
    .join("")
