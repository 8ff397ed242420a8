/** The check of the branch in the address, before it is merged; nothing comes into force. */
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { ask } from "../../api/call.ts"
import { useAct } from "../../parts/useAct.ts"
import type { RepositoryName } from "./WhichRepository.tsx"

export type Checked = Data<"POST /repository/:name/check">

export const useBranchCheck = (name: RepositoryName, branch: string) => {
  const [checked, setChecked] = useState<Checked | null>(null)
  const { busy, error, run } = useAct()
  const client = useQueryClient()
  const check = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(null)
    await run(async () => {
      const { answer } = await ask("POST /repository/:name/check", { params: { name }, body: { branch } })
      setChecked(answer.data)
      // the check has fetched
      await client.invalidateQueries({ queryKey: ["GET /repository/:name/branches"] })
    })
  }
  return { busy, check, checked, error }
}
