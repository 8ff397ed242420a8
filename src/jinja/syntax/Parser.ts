/**
 * Templates: text, prints and statements. Messages follow Jinja2's, because template authors search for them.
 */
import { Fault, Position } from "../Failure.ts"
import { ExpressionParser } from "./ExpressionParser.ts"
import { describeToken, tokenize, type TokenStream } from "./Lexer.ts"
import type { Body, Branch, Expression, Parameter, Statement, Target, Template } from "./Tree.ts"

// Targets: the left side of an assignment or between `for` and `in`: names, tuples of them, and names of a namespace.

const reserved = new Set(["true", "false", "none", "True", "False", "None"])

const nameTarget = (stream: TokenStream, at: Position, name: string): Target => {
  return reserved.has(name) ? stream.fail("can't assign to 'const'", at) : { type: "nameTarget", name, at }
}

const parseOne = (stream: TokenStream, namespace: boolean): Target => {
  const at = stream.here
  if (stream.skip("operator", "(")) {
    const inner = parseSeveral(stream, undefined, namespace, true)
    stream.expect("operator", ")")
    return inner
  }
  if (!stream.is("name")) {
    if (stream.is("string") || stream.is("number")) return stream.fail("can't assign to 'const'", at)
    return stream.fail(`unexpected '${describeToken(stream.current)}'`)
  }
  const name = stream.next().text
  if (!namespace || !stream.isOperator(".")) return nameTarget(stream, at, name)
  stream.next()
  return { type: "namespaceTarget", name, attribute: stream.expect("name").text, at }
}

const parseSeveral = (
  stream: TokenStream,
  until: string | undefined,
  namespace: boolean,
  bracketed: boolean
): Target => {
  const at = stream.here
  const items: Array<Target> = []
  let comma = false
  const atEnd = (): boolean =>
    stream.is("variable_end") ||
    stream.is("block_end") ||
    stream.isOperator(")") ||
    (until !== undefined && stream.isName(until))
  while (!atEnd()) {
    items.push(parseOne(stream, namespace))
    comma = stream.skip("operator", ",")
    if (!comma) break
  }
  const [only] = items
  if (only !== undefined && items.length === 1 && !comma) return only
  if (items.length === 0 && !bracketed) {
    return stream.fail(`Expected an expression, got '${describeToken(stream.current)}'`)
  }
  return { type: "tupleTarget", items, at }
}

/** A target, ended by the name `until` if given; `namespace` allows `ns.name`. */
const parseTarget = (stream: TokenStream, until: string | undefined, namespace: boolean): Target =>
  parseSeveral(stream, until, namespace, false)

/** The name of a macro, parameter or import. */
const parseTargetName = (stream: TokenStream): string => {
  const at = stream.here
  const name = stream.expect("name").text
  return reserved.has(name) ? stream.fail("can't assign to 'name'", at) : name
}

class Parser {
  private readonly stream: TokenStream
  private readonly expressions: ExpressionParser
  // The tags that are open, and for each the tags that may end its part.
  private readonly tags: Array<string> = []
  private readonly ends: Array<ReadonlyArray<string>> = []
  private readonly statements: ReadonlyMap<string, (at: Position) => Statement>

  constructor(stream: TokenStream) {
    this.stream = stream
    this.expressions = new ExpressionParser(stream)
    this.statements = new Map<string, (at: Position) => Statement>([
      ["for", (at) => this.parseFor(at)],
      ["if", (at) => this.parseIf(at)],
      ["set", (at) => this.parseSet(at)],
      ["with", (at) => this.parseWith(at)],
      ["include", (at) => this.parseInclude(at)],
      ["import", (at) => this.parseImport(at)],
      ["from", (at) => this.parseFrom(at)],
      ["macro", (at) => this.parseMacro(at)],
      ["call", (at) => this.parseCall(at)],
      ["filter", (at) => this.parseFilter(at)],
      ["block", (at) => this.parseBlock(at)],
      ["extends", (at) => ({ type: "extends", template: this.expressions.expression(), at })],
      ["autoescape", (at) => this.parseAutoescape(at)]
    ])
  }

  template(): Template {
    return { name: this.stream.template, body: this.body([]) }
  }

  // Everything up to a tag of these names, which stays the current token.
  private body(ends: ReadonlyArray<string>): Body {
    const body: Array<Statement> = []
    if (ends.length > 0) this.ends.push(ends)
    while (!this.stream.is("eof")) {
      const at = this.stream.here
      const token = this.stream.next()
      if (token.type === "text") addText(body, token.text, at)
      else if (token.type === "variable_begin") {
        body.push({ type: "print", value: this.expressions.tuple(), at })
        this.stream.expect("variable_end")
      } else {
        if (this.stream.is("name") && ends.includes(this.stream.current.text)) break
        body.push(...this.statement())
        this.stream.expect("block_end")
      }
    }
    if (ends.length > 0) this.ends.pop()
    return body
  }

  // The body of a statement, from the end of its tag to one of these tags. Returns that tag's name too.
  private part(ends: ReadonlyArray<string>): readonly [Body, string] {
    this.stream.skip("operator", ":")
    this.stream.expect("block_end")
    const body = this.body(ends)
    if (this.stream.is("eof")) {
      this.ends.push(ends)
      return this.failLooking("Unexpected end of template.", undefined)
    }
    return [body, this.stream.next().text]
  }

  private statement(): ReadonlyArray<Statement> {
    const at = this.stream.here
    if (!this.stream.is("name")) return this.stream.fail("tag name expected")
    const tag = this.stream.next().text
    this.tags.push(tag)
    if (tag === "print") {
      const prints = this.parsePrint(at)
      this.tags.pop()
      return prints
    }
    const parse = this.statements.get(tag)
    if (parse === undefined) {
      this.tags.pop()
      return this.failLooking(`Encountered unknown tag '${tag}'.`, tag, at)
    }
    const statement = parse(at)
    this.tags.pop()
    return [statement]
  }

  private failLooking(start: string, tag: string | undefined, at: Position = this.stream.here): never {
    const sentences = [start]
    const looking = this.ends
      .at(-1)
      ?.map((end) => `'${end}'`)
      .join(" or ")
    if (looking !== undefined && tag !== undefined && this.ends.some((ends) => ends.includes(tag))) {
      sentences.push(
        `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
      )
    } else if (looking !== undefined) sentences.push(`Jinja was looking for the following tags: ${looking}.`)
    const innermost = this.tags.at(-1)
    if (innermost !== undefined) sentences.push(`The innermost block that needs to be closed is '${innermost}'.`)
    return this.stream.fail(sentences.join(" "), at)
  }

  private target(until?: string, namespace = false): Target {
    return parseTarget(this.stream, until, namespace)
  }

  private parsePrint(at: Position): ReadonlyArray<Statement> {
    const prints: Array<Statement> = []
    while (!this.stream.is("block_end")) {
      if (prints.length > 0) this.stream.expect("operator", ",")
      prints.push({ type: "print", value: this.expressions.expression(), at })
    }
    return prints
  }

  private parseFor(at: Position): Statement {
    const target = this.target("in")
    this.stream.expect("name", "in")
    const over = this.expressions.tuple({ conditional: false, until: "recursive" })
    const condition = this.stream.skip("name", "if") ? this.expressions.expression() : undefined
    const recursive = this.stream.skip("name", "recursive")
    const [body, end] = this.part(["endfor", "else"])
    const otherwise = end === "endfor" ? [] : this.part(["endfor"])[0]
    return { type: "for", target, over, condition, recursive, body, otherwise, at }
  }

  private parseIf(at: Position): Statement {
    const branches: Array<Branch> = []
    let here = at
    for (;;) {
      const test = this.expressions.tuple({ conditional: false })
      const [body, end] = this.part(["elif", "else", "endif"])
      branches.push({ test, body, at: here })
      if (end === "elif") here = this.stream.here
      else return { type: "if", branches, otherwise: end === "else" ? this.part(["endif"])[0] : [], at }
    }
  }

  private parseSet(at: Position): Statement {
    const target = this.target(undefined, true)
    if (this.stream.skip("operator", "=")) return { type: "assign", target, value: this.expressions.tuple(), at }
    const filter = this.expressions.filter(undefined, false)
    return { type: "assignBlock", target, filter, body: this.part(["endset"])[0], at }
  }

  private parseWith(at: Position): Statement {
    const assignments: Array<{ target: Target; value: Expression }> = []
    while (!this.stream.is("block_end")) {
      if (assignments.length > 0) this.stream.expect("operator", ",")
      const target = this.target()
      this.stream.expect("operator", "=")
      assignments.push({ target, value: this.expressions.expression() })
    }
    return { type: "with", assignments, body: this.part(["endwith"])[0], at }
  }

  // `with context` or `without context`; undefined if neither stands here.
  private context(): boolean | undefined {
    const { stream } = this
    if (!stream.isName("with") && !stream.isName("without")) return undefined
    if (stream.following.type !== "name" || stream.following.text !== "context") return undefined
    const given = stream.next().text === "with"
    stream.next()
    return given
  }

  private parseInclude(at: Position): Statement {
    const template = this.expressions.expression()
    const { stream } = this
    const ignoreMissing = stream.isName("ignore") && stream.following.text === "missing"
    if (ignoreMissing) {
      stream.next()
      stream.next()
    }
    return { type: "include", template, ignoreMissing, withContext: this.context() ?? true, at }
  }

  private parseImport(at: Position): Statement {
    const template = this.expressions.expression()
    this.stream.expect("name", "as")
    const name = parseTargetName(this.stream)
    return { type: "import", template, name, withContext: this.context() ?? false, at }
  }

  private parseFrom(at: Position): Statement {
    const template = this.expressions.expression()
    this.stream.expect("name", "import")
    const names: Array<{ name: string; alias: string }> = []
    let withContext: boolean | undefined
    do {
      withContext = this.context()
      if (withContext !== undefined) break
      names.push(this.importedName())
      withContext = this.context()
    } while (withContext === undefined && this.stream.skip("operator", ","))
    return { type: "from", template, names, withContext: withContext ?? false, at }
  }

  private importedName(): { name: string; alias: string } {
    const at = this.stream.here
    const name = parseTargetName(this.stream)
    if (name.startsWith("_")) {
      throw new Fault("TemplateAssertionError", "names starting with an underline can not be imported", at)
    }
    return { name, alias: this.stream.skip("name", "as") ? parseTargetName(this.stream) : name }
  }

  private parameters(): ReadonlyArray<Parameter> {
    const parameters: Array<Parameter> = []
    this.stream.expect("operator", "(")
    while (!this.stream.isOperator(")")) {
      if (parameters.length > 0) this.stream.expect("operator", ",")
      const name = parseTargetName(this.stream)
      const fallback = this.stream.skip("operator", "=") ? this.expressions.expression() : undefined
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined) {
        this.stream.fail("non-default argument follows default argument")
      }
      parameters.push({ name, fallback })
    }
    this.stream.next()
    return parameters
  }

  private parseMacro(at: Position): Statement {
    const name = parseTargetName(this.stream)
    const parameters = this.parameters()
    return { type: "macro", name, parameters, body: this.part(["endmacro"])[0], at }
  }

  private parseCall(at: Position): Statement {
    const parameters = this.stream.isOperator("(") ? this.parameters() : []
    const call = this.expressions.expression()
    if (call.type !== "call") return this.stream.fail("expected call", at)
    return { type: "callBlock", parameters, call, body: this.part(["endcall"])[0], at }
  }

  private parseFilter(at: Position): Statement {
    const filter = this.expressions.filter(undefined, true)
    if (filter === undefined) return this.stream.fail("expected filter", at)
    return { type: "filterBlock", filter, body: this.part(["endfilter"])[0], at }
  }

  private parseBlock(at: Position): Statement {
    const name = this.stream.expect("name").text
    const scoped = this.stream.skip("name", "scoped")
    const required = this.stream.skip("name", "required")
    if (this.stream.isOperator("-")) {
      const rule = "may not contain hyphens, use an underscore instead."
      this.stream.fail(`Block names in Jinja have to be valid Python identifiers and ${rule}`)
    }
    const [body] = this.part(["endblock"])
    if (required && body.some((node) => node.type !== "text" || node.text.trim() !== "")) {
      this.stream.fail("Required blocks can only contain comments or whitespace")
    }
    this.stream.skip("name", name)
    return { type: "block", name, scoped, required, body, at }
  }

  private parseAutoescape(at: Position): Statement {
    const escape = this.expressions.expression()
    if (escape.type !== "constant" || escape.value !== false) {
      return this.stream.fail("autoescape is always off, only '{% autoescape false %}' is known", at)
    }
    return { type: "scope", body: this.part(["endautoescape"])[0], at }
  }
}

const addText = (body: Array<Statement>, text: string, at: Position): void => {
  const last = body.at(-1)
  if (last?.type === "text") body[body.length - 1] = { type: "text", text: last.text + text, at: last.at }
  else body.push({ type: "text", text, at })
}

/** The syntax tree of a template. Fails with TemplateSyntaxError or TemplateAssertionError. */
export const parseTemplate = (name: string, source: string): Template => new Parser(tokenize(name, source)).template()
