/** Messages of NETCONF come out of the bytes as they were sent, however the network cuts them; what is no message ends the reading. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { framed, type Framed, Framer, type Framing } from "../../../src/drivers/netconf/Framing.ts"
import { randomOf } from "../../support/Random.ts"

const framings: ReadonlyArray<Framing> = ["end-mark", "chunks"]

/** All that comes out of these pieces. */
const readAll = (framing: Framing, pieces: ReadonlyArray<Uint8Array>, mostBytes?: number): ReadonlyArray<Framed> => {
  const framer = new Framer(mostBytes)
  framer.framing = framing
  const found: Array<Framed> = []
  for (const piece of pieces) {
    framer.push(piece)
    for (let one = framer.next(); one !== undefined; one = framer.next()) {
      found.push(one)
      if ("fault" in one) return found
    }
  }
  return found
}

/** The bytes in pieces of a random length up to this. */
const cut = (bytes: Buffer, longest: number, seed: number): ReadonlyArray<Uint8Array> => {
  const random = randomOf(seed)
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const length = 1 + Math.floor(random() * longest)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

/** The message in chunks of a random length, as a server may send it. */
const inChunks = (message: string, seed: number): Buffer => {
  const parts = cut(Buffer.from(message), 7, seed).map((part) =>
    Buffer.concat([Buffer.from(`\n#${part.length}\n`), part])
  )
  return Buffer.concat([...parts, Buffer.from("\n##\n")])
}

describe("messages of NETCONF", () => {
  const Piece = Schema.Literals(["<a>", "]]>", "]]>]]", "\n#", "\n##\n", "3\n", "é", "🔌", "]", ">", "x"])
  const Message = Schema.Array(Piece).pipe(Schema.check(Schema.isMinLength(1)), Schema.check(Schema.isMaxLength(30)))
  const Messages = Schema.Array(Message).pipe(Schema.check(Schema.isMaxLength(6)))
  const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))

  it.prop(
    "are the same for any cut of their bytes",
    { messages: Messages, seed: Seed, longest: Schema.Literals([1, 2, 3, 5, 13, 40, 10_000]) },
    ({ longest, messages, seed }) => {
      for (const framing of framings) {
        const texts = messages.map((pieces) => pieces.join(""))
        const sent = texts.filter((text) => framing === "chunks" || !`${text}]]>]]`.includes("]]>]]>"))
        const bytes = Buffer.from(sent.map((text) => framed(framing, text)).join(""))
        expect(readAll(framing, cut(bytes, longest, seed))).toEqual(sent.map((message) => ({ message })))
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "are whole when a server sends them in many chunks",
    { message: Message, seed: Seed },
    ({ message, seed }) => {
      const text = message.join("")
      const bytes = Buffer.concat([inChunks(text, seed), inChunks(`${text}!`, seed + 1)])
      expect(readAll("chunks", cut(bytes, 9, seed))).toEqual([{ message: text }, { message: `${text}!` }])
    }
  )

  it("change their framing behind the hello, also within one packet", () => {
    const framer = new Framer()
    framer.push(Buffer.from(`<hello/>]]>]]>${framed("chunks", "<rpc-reply/>")}`))
    expect(framer.next()).toEqual({ message: "<hello/>" })
    framer.framing = "chunks"
    expect(framer.next()).toEqual({ message: "<rpc-reply/>" })
    assert.isUndefined(framer.next())
  })

  it.each([
    ["a header without a length", "\n#x\n"],
    ["a length that begins with zero", "\n#03\nabc\n##\n"],
    ["a message without a chunk", "\n##\n"],
    ["a chunk that is longer than it says", "\n#2\nabc\n##\n"],
    ["a chunk that is longer than the protocol allows", "\n#9999999999\n"],
    ["text without framing", "<rpc-reply/>"]
  ])("%s is a fault, and nothing behind it is read", (_, text) => {
    for (const longest of [1, 100]) {
      const found = readAll("chunks", cut(Buffer.from(`${text}${framed("chunks", "<late/>")}`), longest, 1))
      expect(found).toEqual([{ fault: expect.any(String) }])
    }
  })

  it("bytes that are not UTF-8 are marked, and the message says that it has some", () => {
    const bytes = Buffer.concat([Buffer.from("<a>"), Buffer.from([0xc3]), Buffer.from("</a>]]>]]>")])
    expect(readAll("end-mark", [bytes])).toEqual([{ message: "<a>\uFFFD</a>", notUtf8: true }])
  })

  it("a message that never ends is not kept", () => {
    const fault = { fault: "a message is longer than 1000 bytes, and no more is read of it" }
    for (const framing of framings) {
      const begin = framing === "chunks" ? "\n#4000\n" : ""
      expect(readAll(framing, cut(Buffer.from(`${begin}${"x".repeat(4_000)}`), 100, 1), 1_000)).toEqual([fault])
    }
  })
})

describe("blanks behind the hello of a server", () => {
  it.each(["", "\n", "\r\n", " \n\n"])("belong to no chunk (%j)", (blanks) => {
    for (const length of [1, 2, 1000]) {
      const framer = new Framer()
      const found: Array<Framed> = []
      for (const piece of cut(Buffer.from(`<hello/>]]>]]>${blanks}\n#4\n<a/>\n##\n\n#4\n<b/>\n##\n`), length, 1)) {
        framer.push(piece)
        for (let one = framer.next(); one !== undefined && found.length < 4; one = framer.next()) {
          found.push(one)
          framer.framing = "chunks"
        }
      }
      expect(found).toEqual([{ message: "<hello/>" }, { message: "<a/>" }, { message: "<b/>" }])
    }
  })

  it("are none behind a chunk", () => {
    expect(readAll("chunks", [Buffer.from("\n#4\n<a/>\n##\n\n\n#4\n<b/>\n##\n")])).toEqual([
      { message: "<a/>" },
      { fault: "the bytes are no chunk of a message" }
    ])
  })
})
