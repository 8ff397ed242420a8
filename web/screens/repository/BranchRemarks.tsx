/** What is wrong with a branch and what is worth a look, as its check and its proposal show it. */
import { Title } from "@mantine/core"
import type { ReactNode } from "react"
import { Remarks } from "../../parts/Remarks.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import type { Checked } from "./useBranchCheck.ts"

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title}>
    <Title order={2}>{title}</Title>
    {children}
  </section>
)

/** Why the branch would be refused. */
export const BranchProblems = ({ problems }: Pick<Checked, "problems">) =>
  problems.length > 0 && (
    <Part title="Problems">
      <Remarks label="Problems of the branch" remarks={problems} />
    </Part>
  )

/** What does not stop the branch: switches that cannot be rendered, and warnings. */
export const BranchWarnings = ({ failures, warnings }: Pick<Checked, "failures" | "warnings">) => (
  <>
    {failures.length > 0 && (
      <SmallTable
        label="Switches that cannot be rendered"
        heads={["Switch", "Why", "Since"]}
        rows={failures}
        keyOf={({ hostname }) => hostname}
        cells={({ by_the_branch, hostname, message }) => [
          hostname,
          message,
          by_the_branch ? <StatusWord tone="bad">by this branch</StatusWord> : "already so now"
        ]}
      />
    )}
    {warnings.length > 0 && (
      <Part title="Worth a look">
        <Remarks label="Warnings of the branch" remarks={warnings} />
      </Part>
    )}
  </>
)
