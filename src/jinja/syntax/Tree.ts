/**
 * The syntax tree of a template. Every node knows where it stands; nothing else refers to the source text.
 */
import type { Position } from "../Failure.ts"
import type { ArithmeticOperator } from "../values/Arithmetic.ts"
import type { Float } from "../values/Value.ts"

/** Comparison operators. */
export type Comparator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in"

/** The values that can be written down as such. */
export type Literal = null | boolean | number | bigint | string | Float

/** A keyword argument. */
export interface Keyword {
  readonly name: string
  readonly value: Expression
}

/** The arguments of a call, filter or test. */
export interface Arguments {
  readonly positional: ReadonlyArray<Expression>
  readonly keywords: ReadonlyArray<Keyword>
  /** After `*`. */
  readonly rest: Expression | undefined
  /** After `**`. */
  readonly keywordRest: Expression | undefined
}

interface At {
  readonly at: Position
}

interface Name extends At {
  readonly type: "name"
  readonly name: string
}
interface Constant extends At {
  readonly type: "constant"
  readonly value: Literal
}
interface ListNode extends At {
  readonly type: "list"
  readonly items: ReadonlyArray<Expression>
}
interface TupleNode extends At {
  readonly type: "tuple"
  readonly items: ReadonlyArray<Expression>
}
interface DictNode extends At {
  readonly type: "dict"
  readonly pairs: ReadonlyArray<readonly [Expression, Expression]>
}
interface Attribute extends At {
  readonly type: "attribute"
  readonly of: Expression
  readonly name: string
}
export interface Item extends At {
  readonly type: "item"
  readonly of: Expression
  readonly key: Expression
}
export interface SliceNode extends At {
  readonly type: "slice"
  readonly of: Expression
  readonly start: Expression | undefined
  readonly stop: Expression | undefined
  readonly step: Expression | undefined
}
export interface Call extends At {
  readonly type: "call"
  readonly callee: Expression
  readonly args: Arguments
}
export interface Filter extends At {
  readonly type: "filter"
  /** Undefined for the first filter of a filter or set block, which takes the block's text. */
  readonly of: Expression | undefined
  readonly name: string
  readonly args: Arguments
}
export interface Test extends At {
  readonly type: "test"
  readonly of: Expression
  readonly name: string
  readonly args: Arguments
}
export interface Unary extends At {
  readonly type: "unary"
  readonly operator: "-" | "+" | "not"
  readonly operand: Expression
}
export interface Binary extends At {
  readonly type: "binary"
  readonly operator: ArithmeticOperator
  readonly left: Expression
  readonly right: Expression
}
export interface Logical extends At {
  readonly type: "logical"
  readonly operator: "and" | "or"
  readonly left: Expression
  readonly right: Expression
}
export interface Comparison extends At {
  readonly type: "comparison"
  readonly first: Expression
  readonly rest: ReadonlyArray<{ readonly operator: Comparator; readonly operand: Expression }>
}
export interface Concatenation extends At {
  readonly type: "concatenation"
  readonly parts: ReadonlyArray<Expression>
}
export interface Conditional extends At {
  readonly type: "conditional"
  readonly test: Expression
  readonly value: Expression
  readonly otherwise: Expression | undefined
}

export type Expression =
  | Name
  | Constant
  | ListNode
  | TupleNode
  | DictNode
  | Attribute
  | Item
  | SliceNode
  | Call
  | Filter
  | Test
  | Unary
  | Binary
  | Logical
  | Comparison
  | Concatenation
  | Conditional

interface NamespaceTarget extends At {
  readonly type: "namespaceTarget"
  readonly name: string
  readonly attribute: string
}
interface NameTarget extends At {
  readonly type: "nameTarget"
  readonly name: string
}
interface TupleTarget extends At {
  readonly type: "tupleTarget"
  readonly items: ReadonlyArray<Target>
}

/** The target of an assignment. */
export type Target = NameTarget | TupleTarget | NamespaceTarget

/** A parameter of a macro or call block. */
export interface Parameter {
  readonly name: string
  readonly fallback: Expression | undefined
}

export type Body = ReadonlyArray<Statement>

export interface Text extends At {
  readonly type: "text"
  readonly text: string
}
export interface Print extends At {
  readonly type: "print"
  readonly value: Expression
}
export interface For extends At {
  readonly type: "for"
  readonly target: Target
  readonly over: Expression
  readonly condition: Expression | undefined
  readonly recursive: boolean
  readonly body: Body
  readonly otherwise: Body
}
export interface Branch extends At {
  readonly test: Expression
  readonly body: Body
}
export interface If extends At {
  readonly type: "if"
  readonly branches: ReadonlyArray<Branch>
  readonly otherwise: Body
}
export interface Assign extends At {
  readonly type: "assign"
  readonly target: Target
  readonly value: Expression
}
export interface AssignBlock extends At {
  readonly type: "assignBlock"
  readonly target: Target
  readonly filter: Filter | undefined
  readonly body: Body
}
export interface With extends At {
  readonly type: "with"
  readonly assignments: ReadonlyArray<{ readonly target: Target; readonly value: Expression }>
  readonly body: Body
}
export interface Include extends At {
  readonly type: "include"
  readonly template: Expression
  readonly ignoreMissing: boolean
  readonly withContext: boolean
}
export interface Import extends At {
  readonly type: "import"
  readonly template: Expression
  readonly name: string
  readonly withContext: boolean
}
export interface FromImport extends At {
  readonly type: "from"
  readonly template: Expression
  readonly names: ReadonlyArray<{ readonly name: string; readonly alias: string }>
  readonly withContext: boolean
}
export interface Macro extends At {
  readonly type: "macro"
  readonly name: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Body
}
export interface CallBlock extends At {
  readonly type: "callBlock"
  readonly parameters: ReadonlyArray<Parameter>
  readonly call: Call
  readonly body: Body
}
export interface FilterBlock extends At {
  readonly type: "filterBlock"
  readonly filter: Filter
  readonly body: Body
}
export interface Block extends At {
  readonly type: "block"
  readonly name: string
  readonly scoped: boolean
  readonly required: boolean
  readonly body: Body
}
export interface Extends extends At {
  readonly type: "extends"
  readonly template: Expression
}

/** `{% autoescape false %}`: a scope, nothing more, because escaping is always off. */
export interface Scope extends At {
  readonly type: "scope"
  readonly body: Body
}

export type Statement =
  | Text
  | Print
  | For
  | If
  | Assign
  | AssignBlock
  | With
  | Include
  | Import
  | FromImport
  | Macro
  | CallBlock
  | FilterBlock
  | Block
  | Extends
  | Scope

/** A parsed template. */
export interface Template {
  readonly name: string
  readonly body: Body
}
