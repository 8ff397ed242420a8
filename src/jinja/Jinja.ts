/**
 * The Jinja2 template language, byte for byte as Jinja2 3.1 writes it with trim_blocks, lstrip_blocks and
 * keep_trailing_newline on and without escaping. This module is the public face of the engine: make an `Environment`
 * with a loader, compile, render; every answer is a `Result`, nothing throws. The engine uses no `eval`, depends on no
 * other part of the project, and no template can reach beyond the values and files it is given.
 */
export { Environment } from "./Environment.ts"
export type { EnvironmentOptions, Rendered, Template, Variables } from "./Environment.ts"
export { describe, place } from "./Failure.ts"
export type { Failure, FailureKind, Position, Result } from "./Failure.ts"
export { parseJson } from "./Variables.ts"
export { directoryLoader, memoryLoader, resolveName } from "./Environment.ts"
export type { Loader } from "./Environment.ts"
export { cellsPerMegabyte, defaultLimits } from "./Meter.ts"
export type { Limits } from "./Meter.ts"
export type { LogEntry, UndefinedPrint } from "./runtime/Rendering.ts"
export { sectionFilters, type SectionNotation } from "./library/SiteFilters.ts"
export { siteFilters } from "./library/SiteFilters.ts"
export { library } from "./values/Builtin.ts"
export type { Library } from "./values/Builtin.ts"
export { Dict } from "./values/Value.ts"
export { Float, Tuple } from "./values/Value.ts"
export type { Value } from "./values/Value.ts"
export { toValue } from "./Variables.ts"
