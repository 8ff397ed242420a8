/** XML as the device reads and writes it: a strict reader into a small tree, and the few words that writing needs. */
import { SaxesParser } from "saxes"

export interface Element {
  /** Without its prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<Element>
  text: string
}

/** Deepest nesting that is read. */
const DEEPEST = 200

/** Reads one document; undefined if it is no well-formed XML, or has a document type. */
export const read = (text: string): Element | undefined => {
  const parser = new SaxesParser({ xmlns: true })
  const open: Array<Element> = []
  let root: Element | undefined
  let isWrong = false
  parser.on("error", () => {
    isWrong = true
  })
  parser.on("doctype", () => {
    isWrong = true
  })
  parser.on("opentag", ({ attributes, local }) => {
    const element: Element = {
      name: local,
      attributes: Object.fromEntries(Object.values(attributes).map((one) => [one.local, one.value])),
      children: [],
      text: ""
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
    if (open.length > DEEPEST) isWrong = true
  })
  const addText = (more: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += more
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("closetag", () => void open.pop())
  parser.write(text).close()
  return isWrong ? undefined : root
}

/** The first child of this name. */
export const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((one) => one.name === name)

/** The text of a child without blanks around it; undefined if there is no such child. */
export const textOf = (element: Element | undefined, name: string): string | undefined =>
  child(element, name)?.text.trim()

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text inside of an element. */
export const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign)

const attributeText = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)

export type Attributes = Readonly<Record<string, string | number>>

const openTag = (name: string, attributes: Attributes): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${attributeText(String(value))}"`)
    .join("")}`

/** An element with a text; without one it is empty. */
export const leaf = (
  name: string,
  text: string | number | undefined = undefined,
  attributes: Attributes = {}
): string =>
  text === undefined
    ? `${openTag(name, attributes)}/>\n`
    : `${openTag(name, attributes)}>${escaped(String(text))}</${name}>\n`

/** An element with line breaks around its text, as the device writes names. */
export const wide = (name: string, text: string): string => leaf(name, `\n${text}\n`)

/** An element around others. */
export const around = (name: string, inside: string | ReadonlyArray<string>, attributes: Attributes = {}): string =>
  `${openTag(name, attributes)}>\n${typeof inside === "string" ? inside : inside.join("")}</${name}>\n`
