/** Hellos and replies, as servers of several kinds write them. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as Messages from "../../../src/drivers/netconf/Messages.ts"
import * as Xml from "../../../src/drivers/netconf/Xml.ts"

const read = (text: string) => Result.getOrThrow(Xml.parse(text))

const helloOf = (...capabilities: ReadonlyArray<string>) =>
  Messages.readHello(
    read(
      `<hello><capabilities>${capabilities.map((one) => `<capability>${one}</capability>`).join("")}</capabilities><session-id>\n7\n</session-id></hello>`
    )
  )

describe("a hello", () => {
  it("decides the framing, and its capabilities count in both spellings, with blanks and parameters", () => {
    const old = Result.getOrThrow(
      helloOf("urn:ietf:params:netconf:base:1.0", "\n  urn:ietf:params:xml:ns:netconf:capability:candidate:1.0\n")
    )
    expect([old.framing, old.sessionId]).toEqual(["end-mark", "7"])
    expect(Messages.offers(old, "candidate:1.0")).toBe(true)
    expect(Messages.offers(old, "startup:1.0")).toBe(false)
    const url = "urn:ietf:params:netconf:capability:url:1.0?scheme=file,ftp"
    const both = Result.getOrThrow(helloOf("urn:ietf:params:netconf:base:1.1", "urn:ietf:params:netconf:base:1.0", url))
    expect([both.framing, Messages.offers(both, "url:1.0")]).toEqual(["chunks", true])
  })

  it("without a version, or another message, is none", () => {
    expect(Result.isFailure(helloOf("urn:ietf:params:netconf:capability:candidate:1.0"))).toBe(true)
    expect(Result.isFailure(Messages.readHello(read("<rpc-reply/>")))).toBe(true)
  })
})

const error = (tag: string, severity = "error", more = "") =>
  `<rpc-error><error-tag>${tag}</error-tag><error-severity>${severity}</error-severity>${more}</rpc-error>`
const reply = (inside: string) => Messages.readReply(read(`<rpc-reply message-id="1">${inside}</rpc-reply>`))

describe("a reply", () => {
  it("refuses by an error at any depth, also beside ok", () => {
    const path = "<error-path>\n[edit system]\n</error-path><error-message>\nsyntax error\n</error-message>"
    const info = "<error-info><bad-element>hots-name</bad-element></error-info>"
    const refused = reply(
      `<load-configuration-results><ok/>${error("operation-failed", "error", path + info)}</load-configuration-results><ok/>`
    )
    expect(Result.getOrThrow(Result.flip(refused))).toMatchObject({
      message: "syntax error: hots-name",
      errors: [{ tag: "operation-failed", path: "[edit system]", badElement: "hots-name" }]
    })
  })

  it("keeps warnings beside ok, and is no success without ok", () => {
    const taken = Result.getOrThrow(reply(`<ok/>${error("", "warning", "<error-message>reboot</error-message>")}`))
    expect([Messages.isOk(taken), taken.warnings.map(({ message }) => message)]).toEqual([true, ["reboot"]])
    expect(Messages.isOk(Result.getOrThrow(reply("<data/>")))).toBe(false)
  })

  it("refuses by an error without a severity, and has all of several", () => {
    const refused = Result.getOrThrow(
      Result.flip(reply(`${error("in-use", "")}${error("a", "warning")}${error("invalid-value")}`))
    )
    expect(refused.errors.map(({ tag }) => tag)).toEqual(["in-use", "invalid-value"])
    expect(refused.message).toBe("in-use (and 1 more)")
  })

  it("names the session that holds a lock, and masks secrets", () => {
    const more = `<error-message>secret 5 $1$abc$def is wrong</error-message><error-info><session-id>12</session-id></error-info>`
    const { errors } = Result.getOrThrow(Result.flip(reply(error("lock-denied", "error", more))))
    expect(errors[0]?.sessionId).toBe("12")
    expect(errors[0]?.message).not.toContain("$1$abc$def")
  })
})
