/**
 * Modules with which a process or a thread begins. Their names have no ending: it is `.ts` in a clone and `.js` in a package, because Node
 * strips no types below `node_modules` (scripts/pack.mjs).
 */
import { extname } from "node:path"

const ENDING = extname(new URL(import.meta.url).pathname)

/** The URL of a module, such as `./renderMain`, relative to the asking module (its `import.meta.url`). */
export const ownModule = (name: string, from: string): URL => new URL(name + ENDING, from)
