/** The table of all cases for people: route, request, status, and what the client gets. */
import type { Case } from "./Case.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").slice(0, 160)

const row = ({ name, reply, request }: Case): string => {
  const body = request.json === undefined ? (request.raw ?? "") : JSON.stringify(request.json)
  const sent = body === "" ? "" : `\`${cell(body)}\``
  return `| ${request.method} \`${cell(request.path)}\` | ${sent} | ${reply.status} | ${cell(name)} |`
}

const HEADER = `# Conformance

What the API answers, case by case: each is sent to a real server with a real PostgreSQL by \`Conformance.test.ts\`. This table is
made from the data in \`cases/\`; \`UPDATE_CONFORMANCE=1 vitest run test/scenarios/conformance\` writes it anew.
`

/** The README of the conformance tests. */
export const table = (chapters: Readonly<Record<string, ReadonlyArray<Case>>>): string => {
  const sections = Object.entries(chapters).map(([title, cases]) =>
    [`## ${title}`, "", "| Request | Body | Status | The client gets |", "|---|---|---|---|", ...cases.map(row)].join(
      "\n"
    )
  )
  return `${[HEADER, ...sections].join("\n\n")}\n`
}
