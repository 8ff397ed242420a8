/** Texts in braces are read as trees, faults of their form are found with their lines, and trees are written as a device shows them. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  type BraceStatement,
  eachStatement,
  lacksSecrets,
  printBraces,
  readBraces
} from "../../src/domain/BraceText.ts"

const faultsIn = (text: string): ReadonlyArray<string> =>
  readBraces(text).faults.map(({ lineNumber, rule, word }) => `${lineNumber} "${word}" ${rule}`)

const printed = (text: string): string => printBraces(readBraces(text).statements)

const SHOWN = String.raw`version 21.4R3-S5.4;
groups {
    PORTS {
        interfaces {
            <ge-*> {
                mtu 9000;
            }
        }
    }
}
apply-groups [ PORTS RE ];
system {
    host-name lhv-acc1;
    root-authentication {
        encrypted-password "$6$salt$hash";
    }
    login {
        message "\n   Lindhaven; authorized users { only }   \"x\"\n";
    }
    inactive: services {
        ssh;
    }
}
interfaces {
    protect: ge-0/0/1 {
        unit 0 {
            family inet {
                address 10.0.0.1/24;
            }
            family inet6 {
                address 2001:db8::1/64;
            }
        }
    }
    interface-range EDGE {
        member "ge-0/0/[2-9]";
    }
    ge-0/0/2 {
    }
}
policy-options {
    community STAFF members [ 65000:1 65000:2 ];
    as-path OWN ".* 65000 .*";
}
`

describe("a text in braces", () => {
  it("is written as the device shows it", () => {
    expect(faultsIn(SHOWN)).toEqual([])
    expect(printed(SHOWN)).toBe(SHOWN)
  })

  it("is the same without line breaks, with other indentation, quotes and comments", () => {
    const joined = SHOWN.replaceAll(/\n\s*/g, " ")
    const indented = SHOWN.replaceAll("    ", "\t").replaceAll("\n", "\r\n")
    const quoted = SHOWN.replace("host-name lhv-acc1", 'host-name "lhv-acc1"').replaceAll(/^\}$/gm, "}\n# end { of\n")
    const remarked = SHOWN.replaceAll(/^( *)(unit|family)/gm, "$1/* a remark; } */\n$1$2").replaceAll(
      ";\n",
      "; ## SECRET-DATA\n"
    )
    for (const text of [joined, indented, quoted, remarked]) {
      expect(faultsIn(text)).toEqual([])
      expect(printed(text)).toBe(SHOWN)
    }
  })

  it("has statements with their marks, words, lists, places and lines", () => {
    const { statements } = readBraces("a {\n  inactive: protect: b c {\n    d [ 1 2 ];\n  }\n}\n")
    const found = [...eachStatement(statements)].map(({ depth, statement: { list, lineNumber, marks, words } }) => ({
      depth,
      list,
      lineNumber,
      marks,
      words
    }))
    expect(found).toEqual([
      { depth: 0, list: null, lineNumber: 1, marks: [], words: ["a"] },
      { depth: 1, list: null, lineNumber: 2, marks: ["inactive", "protect"], words: ["b", "c"] },
      { depth: 2, list: ["1", "2"], lineNumber: 3, marks: [], words: ["d"] }
    ])
  })

  it("may have a list over several lines, a text with line breaks, and a brace in the next line", () => {
    expect(printed('a [ b\n  c ];\nm "x\ny" z;\ns\n{ t; }')).toBe('a [ b c ];\nm "x\ny" z;\ns {\n    t;\n}\n')
    expect(faultsIn("s\n{ t; };")).toEqual([])
  })

  it.each([
    ["a {\n  b;\n", ['1 "a" is not closed by a }']],
    ["a { b; }\n}\nc;", ['2 "}" closes a section that is not open']],
    ["a {\n  b\n  c;\n}", ['2 "b" is not ended by a ;']],
    ["a {\n  b x\n}", ['2 "b x" is not ended by a ;']],
    ["a;\nb", ['2 "b" is not ended by a ;']],
    ["{ a; }", ['1 "{" opens a section without a name']],
    ["inactive: ;", ['1 "inactive:" is a mark without a statement']],
    ["a [ b;\nc;", ['1 ";" stands in a list that is not ended by a ]']],
    ["a ];", ['1 "]" ends a list that is not open']],
    ["[ a ];", ['1 "[" begins a list where none can be', '1 "]" ends a list that is not open']],
    ["a [ b ] c;", ['1 "c" stands behind a list']],
    ["a [ b ] { c; }", ['1 "{" stands behind a list']],
    ['a;\nb "c;\nd;', ['2 """ begins a text in quotes that does not end', '2 "b" is not ended by a ;']],
    ["a;\n/* b\nc;", ['2 "/*" begins a comment that does not end']],
    [
      "description x # y;\ndisable;",
      ['1 "# y;" is a comment within a statement, and may hide its end', '1 "description x" is not ended by a ;']
    ],
    ["secret /* SECRET-DATA */;", ['1 "/* SECRET-DATA */" stands for a secret that the account could not see']]
  ])("%j has faults with their lines", (text, faults) => {
    expect(faultsIn(text)).toEqual(faults)
  })

  it("is read however deep or long it is", () => {
    expect(faultsIn("a {".repeat(100_000))).toContain('1 "{" opens a section within 100 others')
    for (const part of ["a { b; } ", "a [ b ]; "]) expect(faultsIn(part.repeat(100_000))).toEqual([])
    for (const part of ["a ", "a [ ", "] ", '" ', "/* ", "a["]) expect(faultsIn(part.repeat(100_001))).not.toEqual([])
  })

  it("shows whether the account could see its secrets", () => {
    expect(lacksSecrets("secret /* SECRET-DATA */; ## SECRET-DATA")).toBe(true)
    expect(lacksSecrets('secret "$9$abc"; ## SECRET-DATA')).toBe(false)
  })

  const Word = Schema.String.check(Schema.isPattern(/^(?:[a-z][\w.:/-]{0,9}|[ -!#-[\]-~]{0,12})$/))
  const Leaf = Schema.Struct({
    words: Schema.Array(Word).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
    list: Schema.NullOr(Schema.Array(Word).check(Schema.isMaxLength(3))),
    isInactive: Schema.Boolean
  })
  const Sections = Schema.Array(
    Schema.Struct({ name: Word, leaves: Schema.Array(Leaf).check(Schema.isMaxLength(4)) })
  ).check(Schema.isMaxLength(4))

  const statementOf = ({ isInactive, list, words }: typeof Leaf.Type): BraceStatement => ({
    marks: isInactive ? ["inactive"] : [],
    // a mark is no first word
    words: words.map((word, at) => (at === 0 ? `w${word.replace(/:$/, "")}` : word)),
    list,
    below: null,
    lineNumber: 1
  })

  it.prop("of any words is read as it was written", { sections: Sections }, ({ sections }) => {
    const tree = sections.map(({ leaves, name }): BraceStatement => ({
      marks: [],
      words: [`s${name}`.replace(/:$/, "")],
      list: null,
      below: leaves.map(statementOf),
      lineNumber: 1
    }))
    const text = printBraces(tree)
    expect(faultsIn(text)).toEqual([])
    expect(printed(text)).toBe(text)
  })
})
