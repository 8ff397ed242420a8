/**
 * Expressions: precedence from loosest to tightest as one method each, the order of docs/templates.md#the-language.
 */
import type { ArithmeticOperator } from "../values/Arithmetic.ts"
import { OperandParser } from "./OperandParser.ts"
import type { Comparator, Expression } from "./Tree.ts"

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
