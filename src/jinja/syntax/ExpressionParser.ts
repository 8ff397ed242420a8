/**
 * Expressions, from the tight end (literals, brackets, and what follows a value) to the loose one: one method for each level of
 * precedence, in the order of docs/templates.md#the-language.
 */
import type { ArithmeticOperator } from "../values/Arithmetic.ts"
import type { Arguments, Comparator, Expression, Filter, Keyword, Literal } from "./Tree.ts"
import type { Position } from "../Failure.ts"
import { describeToken, type TokenStream } from "./Lexer.ts"

// The tight end of expressions: literals, brackets, and what follows a value (attributes, items, calls, filters, tests).

const noArguments: Arguments = { positional: [], keywords: [], rest: undefined, keywordRest: undefined }

const constants: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null]
])

/** How a list of expressions without brackets is read. */
interface TupleOptions {
  /** Names that end it, such as `recursive`. */
  readonly until?: string
  /** Is `x if y` allowed? */
  readonly conditional?: boolean
  /** May it be empty, because it stands in brackets? */
  readonly bracketed?: boolean
}

/** Parses operands; `ExpressionParser` parses the operators between them. */
abstract class OperandParser {
  readonly stream: TokenStream

  constructor(stream: TokenStream) {
    this.stream = stream
  }

  /** A whole expression, with or without `x if y`. */
  abstract expression(conditional?: boolean): Expression

  primary(): Expression {
    const at = this.stream.here
    const token = this.stream.current
    switch (token.type) {
      case "name": {
        this.stream.next()
        const value = constants.get(token.text)
        return value === undefined ? { type: "name", name: token.text, at } : { type: "constant", value, at }
      }
      case "string":
        return { type: "constant", value: this.strings(), at }
      case "number":
        this.stream.next()
        return { type: "constant", value: token.value, at }
      default:
        return this.bracketed(at)
    }
  }

  // String literals one after the other are one.
  private strings(): string {
    let text = ""
    while (this.stream.is("string")) text += this.stream.next().text
    return text
  }

  private bracketed(at: Position): Expression {
    if (this.stream.skip("operator", "(")) {
      const inner = this.tuple({ bracketed: true })
      this.stream.expect("operator", ")")
      return inner
    }
    if (this.stream.skip("operator", "[")) {
      return { type: "list", items: this.separated("]", () => this.expression()), at }
    }
    if (this.stream.skip("operator", "{")) {
      return { type: "dict", pairs: this.separated("}", () => this.pair()), at }
    }
    return this.stream.fail(`unexpected '${describeToken(this.stream.current)}'`)
  }

  private pair(): readonly [Expression, Expression] {
    const key = this.expression()
    this.stream.expect("operator", ":")
    return [key, this.expression()]
  }

  private separated<A>(end: string, one: () => A): Array<A> {
    const items: Array<A> = []
    while (!this.stream.isOperator(end)) {
      if (items.length > 0) this.stream.expect("operator", ",")
      if (this.stream.isOperator(end)) break
      items.push(one())
    }
    this.stream.expect("operator", end)
    return items
  }

  /** One expression, or several with commas between them as a tuple. */
  tuple(options: TupleOptions = {}): Expression {
    const at = this.stream.here
    const items: Array<Expression> = []
    let comma = false
    while (!this.atTupleEnd(options.until)) {
      items.push(this.expression(options.conditional))
      if (!this.stream.isOperator(",")) break
      this.stream.next()
      comma = true
    }
    const [only] = items
    if (!comma && only !== undefined) return only
    if (!comma && options.bracketed !== true) {
      return this.stream.fail(`Expected an expression, got '${describeToken(this.stream.current)}'`)
    }
    return { type: "tuple", items, at }
  }

  private atTupleEnd(until: string | undefined): boolean {
    const { stream } = this
    if (stream.is("variable_end") || stream.is("block_end") || stream.isOperator(")")) return true
    return until !== undefined && stream.isName(until)
  }

  postfix(start: Expression): Expression {
    let node = start
    for (;;) {
      if (this.stream.isOperator(".") || this.stream.isOperator("[")) node = this.subscript(node)
      else if (this.stream.isOperator("(")) node = this.call(node)
      else return node
    }
  }

  filters(start: Expression): Expression {
    let node = start
    for (;;) {
      if (this.stream.isOperator("|")) node = this.filter(node)
      else if (this.stream.isName("is")) node = this.test(node)
      else if (this.stream.isOperator("(")) node = this.call(node)
      else return node
    }
  }

  private call(callee: Expression): Expression {
    const at = this.stream.here
    return { type: "call", callee, args: this.arguments(), at }
  }

  private subscript(of: Expression): Expression {
    const at = this.stream.here
    if (this.stream.next().text === ".") {
      const token = this.stream.current
      if (token.type !== "name" && (token.type !== "number" || typeof token.value === "object")) {
        return this.stream.fail("expected name or number")
      }
      const here = this.stream.here
      this.stream.next()
      if (token.type === "name") return { type: "attribute", of, name: token.text, at }
      return { type: "item", of, key: { type: "constant", value: token.value, at: here }, at }
    }
    const keys: Array<Expression> = []
    while (!this.stream.isOperator("]")) {
      if (keys.length > 0) this.stream.expect("operator", ",")
      if (this.stream.isOperator(":")) return this.slice(of, undefined, at)
      const key = this.expression()
      if (this.stream.isOperator(":")) return this.slice(of, key, at)
      keys.push(key)
    }
    this.stream.next()
    const [only] = keys
    const key: Expression = keys.length === 1 && only !== undefined ? only : { type: "tuple", items: keys, at }
    return { type: "item", of, key, at }
  }

  private slice(of: Expression, start: Expression | undefined, at: Position): Expression {
    this.stream.expect("operator", ":")
    const bound = (): Expression | undefined =>
      this.stream.isOperator(":") || this.stream.isOperator("]") ? undefined : this.expression()
    const stop = bound()
    const step = this.stream.skip("operator", ":") ? bound() : undefined
    this.stream.expect("operator", "]")
    return { type: "slice", of, start, stop, step, at }
  }

  /** A chain of filters. Without `of`, the first one takes the text of a block. */
  filter(of: Expression): Expression
  filter(of: undefined, first: boolean): Filter | undefined
  filter(of: Expression | undefined, first = false): Expression | undefined {
    let node: Expression | undefined = of
    for (let inline = first; inline || this.stream.isOperator("|"); inline = false) {
      if (!inline) this.stream.next()
      const at = this.stream.here
      const name = this.dottedName()
      node = { type: "filter", of: node, name, args: this.optionalArguments(), at }
    }
    return node
  }

  private optionalArguments(): Arguments {
    return this.stream.isOperator("(") ? this.arguments() : noArguments
  }

  private dottedName(): string {
    let name = this.stream.expect("name").text
    while (this.stream.skip("operator", ".")) name += `.${this.stream.expect("name").text}`
    return name
  }

  private test(of: Expression): Expression {
    const at = this.stream.here
    this.stream.next()
    const negated = this.stream.skip("name", "not")
    const name = this.dottedName()
    const test: Expression = { type: "test", of, name, args: this.testArguments(), at }
    return negated ? { type: "unary", operator: "not", operand: test, at } : test
  }

  // A test takes its arguments in brackets, or one that follows without them.
  private testArguments(): Arguments {
    const { stream } = this
    if (stream.isOperator("(")) return this.arguments()
    const { type, text } = stream.current
    const begins =
      type === "string" ||
      type === "number" ||
      (type === "operator" && (text === "[" || text === "{")) ||
      (type === "name" && text !== "else" && text !== "or" && text !== "and")
    if (!begins) return noArguments
    if (stream.isName("is")) return stream.fail("You cannot chain multiple tests with is")
    return { ...noArguments, positional: [this.postfix(this.primary())] }
  }

  private arguments(): Arguments {
    const at = this.stream.here
    const positional: Array<Expression> = []
    const keywords: Array<Keyword> = []
    let rest: Expression | undefined
    let keywordRest: Expression | undefined
    const ensure = (holds: boolean): void => {
      if (!holds) this.stream.fail("invalid syntax for function call expression", at)
    }
    this.stream.expect("operator", "(")
    this.separated(")", () => {
      if (this.stream.skip("operator", "*")) {
        ensure(rest === undefined && keywordRest === undefined)
        rest = this.expression()
      } else if (this.stream.skip("operator", "**")) {
        ensure(keywordRest === undefined)
        keywordRest = this.expression()
      } else if (
        this.stream.is("name") &&
        this.stream.following.text === "=" &&
        this.stream.following.type === "operator"
      ) {
        ensure(keywordRest === undefined)
        const name = this.stream.next().text
        this.stream.next()
        keywords.push({ name, value: this.expression() })
      } else {
        ensure(rest === undefined && keywordRest === undefined && keywords.length === 0)
        positional.push(this.expression())
      }
    })
    return { positional, keywords, rest, keywordRest }
  }
}

const comparators: ReadonlyMap<string, Comparator> = new Map<string, Comparator>(
  (["==", "!=", "<", "<=", ">", ">="] as const).map((operator) => [operator, operator])
)
const additive: ReadonlyMap<string, ArithmeticOperator> = new Map<string, ArithmeticOperator>([
  ["+", "+"],
  ["-", "-"]
])
const multiplicative: ReadonlyMap<string, ArithmeticOperator> = new Map<string, ArithmeticOperator>([
  ["*", "*"],
  ["/", "/"],
  ["//", "//"],
  ["%", "%"]
])
const power: ReadonlyMap<string, ArithmeticOperator> = new Map<string, ArithmeticOperator>([["**", "**"]])

/** Parses expressions from a stream of tokens. */
export class ExpressionParser extends OperandParser {
  override expression(conditional = true): Expression {
    return conditional ? this.conditional() : this.or()
  }

  private conditional(): Expression {
    const at = this.stream.here
    let result = this.or()
    while (this.stream.skip("name", "if")) {
      const test = this.or()
      const otherwise = this.stream.skip("name", "else") ? this.conditional() : undefined
      result = { type: "conditional", test, value: result, otherwise, at }
    }
    return result
  }

  private or(): Expression {
    const at = this.stream.here
    let left = this.and()
    while (this.stream.skip("name", "or")) {
      left = { type: "logical", operator: "or", left, right: this.and(), at }
    }
    return left
  }

  private and(): Expression {
    const at = this.stream.here
    let left = this.not()
    while (this.stream.skip("name", "and")) {
      left = { type: "logical", operator: "and", left, right: this.not(), at }
    }
    return left
  }

  private not(): Expression {
    const at = this.stream.here
    if (!this.stream.skip("name", "not")) return this.comparison()
    return { type: "unary", operator: "not", operand: this.not(), at }
  }

  private comparison(): Expression {
    const at = this.stream.here
    const first = this.sum()
    const rest: Array<{ operator: Comparator; operand: Expression }> = []
    for (let operator = this.comparator(); operator !== undefined; operator = this.comparator()) {
      rest.push({ operator, operand: this.sum() })
    }
    return rest.length === 0 ? first : { type: "comparison", first, rest, at }
  }

  private comparator(): Comparator | undefined {
    const { current, following } = this.stream
    if (current.type === "operator") {
      const operator = comparators.get(current.text)
      if (operator !== undefined) this.stream.next()
      return operator
    }
    if (this.stream.skip("name", "in")) return "in"
    if (!this.stream.isName("not") || following.type !== "name" || following.text !== "in") return undefined
    this.stream.next()
    this.stream.next()
    return "not in"
  }

  private binary(operators: ReadonlyMap<string, ArithmeticOperator>, operand: () => Expression): Expression {
    let left = operand()
    while (this.stream.current.type === "operator") {
      const operator = operators.get(this.stream.current.text)
      if (operator === undefined) break
      const at = this.stream.here
      this.stream.next()
      left = { type: "binary", operator, left, right: operand(), at }
    }
    return left
  }

  private sum(): Expression {
    return this.binary(additive, () => this.concatenation())
  }

  private concatenation(): Expression {
    const at = this.stream.here
    const first = this.product()
    if (!this.stream.isOperator("~")) return first
    const parts = [first]
    while (this.stream.skip("operator", "~")) parts.push(this.product())
    return { type: "concatenation", parts, at }
  }

  private product(): Expression {
    return this.binary(multiplicative, () => this.power())
  }

  private power(): Expression {
    return this.binary(power, () => this.unary(true))
  }

  private unary(filters: boolean): Expression {
    const at = this.stream.here
    let node: Expression
    if (this.stream.skip("operator", "-")) node = { type: "unary", operator: "-", operand: this.unary(false), at }
    else if (this.stream.skip("operator", "+")) node = { type: "unary", operator: "+", operand: this.unary(false), at }
    else node = this.primary()
    node = this.postfix(node)
    return filters ? this.filters(node) : node
  }
}
