/**
 * Modules that a process or a thread begins with. They are named without an ending: it is `.ts` in a clone and `.js` in a package, because
 * Node strips no types below `node_modules` (scripts/pack.mjs).
 */
import { extname } from "node:path"

const ENDING = extname(new URL(import.meta.url).pathname)

/** The URL of a module, such as `./renderMain`, seen from the module that asks (its `import.meta.url`). */
export const ownModule = (name: string, from: string): URL => new URL(name + ENDING, from)

// The environment that programs and threads get which this server starts: what they need to run, and none of its settings, among
// which are passwords (docs/security.md#programs-that-the-server-starts).

const ALWAYS = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|SystemRoot|LD_LIBRARY_PATH)$/i

/** For programs that connect to others: agents with keys, proxies and trusted certificates. */
const NETWORK =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|XDG_CONFIG_HOME|KRB5CCNAME|KRB5_CONFIG|https?_proxy|all_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR|CURL_CA_BUNDLE)$/i

/** The part of the environment for a program; `network` for one that connects to other machines. */
export const childEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  { network }: { readonly network: boolean }
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (ALWAYS.test(name) || (network && NETWORK.test(name))) ? [[name, value] as const] : []
    )
  )
