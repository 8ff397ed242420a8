/**
 * The form of the files that systemd gives to a service as its environment (`EnvironmentFile=`): `NAME=value` a line, `#` and `;` begin a
 * comment, quotes and backslashes as in systemd.exec(5). Nothing is expanded, and a line without a name is ignored, as systemd ignores it.
 */

const NAME = /^[A-Za-z_]\w*$/
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[^])*)"/g
/** A comment; a name with quoted pieces and the rest of its line, which a backslash continues; any other line. */
const LINE =
  /[ \t]*[#;][^\r\n]*|([^=\r\n]*)=((?:[ \t]*(?:'[^']*'|"(?:[^"\\]|\\[^])*"))*)((?:[^\r\n\\]|\\[^]?)*)|[^\r\n]+/g

const unescaped = (text: string): string =>
  text.replaceAll(/\\([^])/g, (_, sign: string) => (sign === "\n" ? "" : sign))

/** Between double quotes a backslash counts before these signs only. */
const unescapedInQuotes = (text: string): string =>
  text.replaceAll(/\\([^])/g, (all: string, sign: string) => (sign === "\n" ? "" : '"\\`$'.includes(sign) ? sign : all))

const valueOf = (quoted: string, rest: string): string => {
  const pieces = [...quoted.matchAll(QUOTED)].map(([, single, double = ""]) => single ?? unescapedInQuotes(double))
  return pieces.join("") + unescaped(rest.trim())
}

/** The variables in the text of a file; of two with the same name the last one wins. */
export const parseEnvironmentFile = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(LINE)].flatMap(([, name = "", quoted = "", rest = ""]) =>
      NAME.test(name.trim()) ? [[name.trim(), valueOf(quoted, rest)] as const] : []
    )
  )
