/** Which endpoint a method and a path mean, for questions about calls that nobody has sent (docs/roles.md#asking-beforehand). */
import { HttpApi } from "effect/http-api"
import { Api, BASE } from "./Api.ts"
import { type Subject, subjectOf } from "./Subjects.ts"

/** A call: what it is about (nothing for what is closed to callers of some devices), and what stands for its parameter. */
export interface Call {
  readonly subject: Subject | undefined
  readonly parameter: string | undefined
}

interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly subject: Subject | undefined
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/:\w+(\([^)]*\))?/g, (_, rule) => (rule === undefined ? "([^/]+)" : "(\\d+)"))}$`)

/** Those without a parameter first, since the router prefers them. */
const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      const behind = path.slice(BASE.length)
      found.push({ method, pattern: patternOf(behind), subject: subjectOf(method, behind) })
    }
  })
  return found.toSorted((a, b) => Number(a.pattern.source.includes("(")) - Number(b.pattern.source.includes("(")))
})()

/** The call that a method and a path behind the base mean; none when there is no such endpoint. */
export const callOf = (method: string, path: string): Call | undefined => {
  for (const { method: own, pattern, subject } of routes) {
    const match = own === method ? pattern.exec(path) : null
    if (match !== null) return { subject, parameter: match[1] }
  }
  return undefined
}
