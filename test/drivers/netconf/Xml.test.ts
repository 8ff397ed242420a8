/** XML of devices is read strictly, and written in one form. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Xml from "../../../src/drivers/netconf/Xml.ts"

const read = (text: string) => Result.getOrThrow(Xml.parse(text))
const refusal = (text: string) => Result.getOrThrow(Result.flip(Xml.parse(text)))

describe("XML of a device", () => {
  it("is a tree of local names with resolved namespaces", () => {
    const reply = read(
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a banner --><nc:rpc-reply xmlns:nc="urn:nc" message-id="4"><nc:data>
       <name xmlns="urn:if"> ge1&lt; <![CDATA[<&]]></name></nc:data></nc:rpc-reply>`
    )
    expect([reply.name, reply.uri, reply.attributes.get("message-id")]).toEqual(["rpc-reply", "urn:nc", "4"])
    const data = Xml.child(reply, "data")
    expect(Xml.child(data, "name")?.uri).toBe("urn:if")
    expect(Xml.textOf(data, "name")).toBe("ge1< <&")
    expect(Xml.textOf(data, "other")).toBe("")
  })

  it("may be in a part of UTF-8", () => {
    expect(read(`<?xml version="1.0" encoding="us-ascii"?><a/>`).name).toBe("a")
  })

  it.each([
    ["broken nesting", "<a><b></a></b>"],
    ["two roots", "<a/><b/>"],
    ["an end that is missing", "<a><b/>"],
    ["no element", "  "],
    ["an entity of its own", "<a>&own;</a>"],
    ["a DOCTYPE", "<!DOCTYPE a><a/>"],
    ["a DOCTYPE with entities", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`],
    ["a prefix without a namespace", "<x:a/>"],
    ["a control character", "<a>\u0007</a>"],
    ["another encoding", `<?xml version="1.0" encoding="latin1"?><a/>`],
    ["text outside", "<a/>text"],
    ["an attribute that comes twice", `<a b="1" b="2"/>`]
  ])("%s is refused", (_, text) => {
    expect(refusal(text)).toMatchObject({ message: expect.stringMatching(/\S/) })
  })

  it("names the line", () => {
    expect(refusal("<a>\n  <b>\n  </c>\n</a>").line).toBe(3)
  })

  it("a tree that is too deep is refused, whatever follows", () => {
    expect(refusal("<a>".repeat(100_000)).message).toBe("it is deeper than 128 elements")
    expect(Result.isSuccess(Xml.parse(`${"<a>".repeat(100)}${"</a>".repeat(100)}`))).toBe(true)
  })

  it("a tree of too many elements is refused", () => {
    expect(refusal(`<a>${"<b/>".repeat(510_000)}</a>`).message).toContain("more than 500000 elements")
  })

  it.prop(
    "long texts say what they say as short ones",
    {
      pieces: Schema.Array(
        Schema.Literals([
          "interfaces { ge-0/0/1; }\n".repeat(20),
          "&lt;*&gt; &amp;amp; &quot;it&apos;s&quot; ",
          "<b>",
          "</b>",
          "<!-- > ",
          " -->",
          "]]",
          ">",
          "&own;",
          "&#65;",
          "é",
          "<b c='>",
          "'/>",
          "\r\n"
        ])
      ).check(Schema.isMaxLength(12))
    },
    ({ pieces }) => {
      const text = pieces.join("")
      // a sign in the message keeps its texts in their places
      const [whole, inPlaces] = [Xml.parse(`<a><s>-</s>${text}</a>`), Xml.parse(`<a><s>\uE000</s>${text}</a>`)]
      const rest = (read: typeof whole) => Result.map(read, ({ children, text: said }) => [children.slice(1), said])
      expect(rest(whole)).toEqual(rest(inPlaces))
    },
    { arbitrary: { runs: 1000 } }
  )

  it("a long text is read whole, and a fault behind it has its line", () => {
    const config = `interfaces {\n${'    ge-0/0/1 { description "<a> & b"; }\n'.repeat(1000)}}\n`
    const escaped = config.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    expect(Xml.textOf(read(`<a><t>${escaped.replaceAll(">", "&gt;")}</t></a>`), "t")).toBe(config.trim())
    expect(refusal(`<a><t>${escaped.replaceAll(">", "&gt;")}</t>\n<b></a>`).line).toBe(1004)
    const literal = `<a><![CDATA[>${"&lt;".repeat(100)}<]]></a>`
    expect(read(literal).text).toBe(`>${"&lt;".repeat(100)}<`)
    const numbered = read(`<a><t>${"long ".repeat(100)}</t><s>&#xE000;0&#xE001;</s></a>`)
    expect(Xml.textOf(numbered, "s")).toBe("\uE0000\uE001")
  })

  it("has one form, whatever prefixes and blanks the server writes", () => {
    const one = `<data xmlns="urn:nc"><interfaces xmlns="urn:if"><interface><name>ge1</name><type
      xmlns:i="urn:types">i:ethernet</type></interface></interfaces><nacm xmlns="urn:acm">\n  </nacm></data>`
    const other = `<n:data xmlns:n="urn:nc" xmlns:i="urn:types" xmlns:f="urn:if"><f:interfaces>
      <f:interface> <f:name>ge1</f:name><f:type>i:ethernet</f:type></f:interface></f:interfaces><nacm xmlns="urn:acm"/></n:data>`
    const form = `<interfaces xmlns="urn:if">
  <interface>
    <name>ge1</name>
    <type xmlns:i="urn:types">i:ethernet</type>
  </interface>
</interfaces>
<nacm xmlns="urn:acm"/>
`
    expect(Xml.render(read(one).children, "urn:nc")).toBe(form)
    expect(Xml.render(read(other).children, "urn:nc")).toBe(form)
    expect(Xml.render(read(`<data>${form}</data>`).children)).toBe(form)
  })

  it("keeps what a value holds, also the mark that ends a message", () => {
    const value = `a < b & "c"\n ]]>]]> \r d`
    const written = Xml.render([{ ...read("<a/>"), text: value }])
    expect(written).not.toContain("]]>]]>")
    expect(read(written).text).toBe(value)
  })
})
