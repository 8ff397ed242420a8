/** A branch of the repository, chosen from those of the remote; a tag or commit can be typed. */
import { Autocomplete, type AutocompleteProps, type ComboboxGenericItem } from "@mantine/core"
import { Signer } from "../../parts/SignedBy.tsx"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { When } from "../../parts/When.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

type Branch = Data<"GET /repository/:name/branches">["branches"][number]

const SHOWN = 50

interface Props extends Omit<AutocompleteProps, "data" | "renderOption" | "onChange" | "value"> {
  readonly name: RepositoryName
  readonly value: string
  readonly choose: (branch: string) => void
}

const Option = ({ branch }: { readonly branch: Branch }) => (
  <span className="repo-branch-option">
    <b>{branch.branch}</b>
    <span className="review-line">
      {branch.in_force ? "In force: " : ""}
      {branch.subject} · {branch.author}, <When at={branch.at} />
      <Signer signature={branch.signature} />
    </span>
  </span>
)

export const BranchField = ({ choose, name, value, ...field }: Props) => {
  const may = useMay()
  const path = `/repository/${name}/branches`
  const { data } = useAsk(
    "GET /repository/:name/branches",
    { params: { name }, query: { limit: SHOWN } },
    { kinds: ["repository"], enabled: may("GET", path) }
  )
  const branches = new Map((data?.answer.data.branches ?? []).map((one) => [one.branch, one]))
  const option = ({ option: { value: branch } }: { readonly option: ComboboxGenericItem }) => {
    const found = branches.get(branch)
    return found === undefined ? branch : <Option branch={found} />
  }
  return (
    <Autocomplete
      {...field}
      data={[...branches.keys()]}
      limit={SHOWN}
      // the whole list for a name that is complete: it was chosen, and another may be wanted
      filter={({ options, search }) =>
        options.filter(
          (one) =>
            branches.has(search) || ("label" in one && one.label.toLowerCase().includes(search.trim().toLowerCase()))
        )
      }
      renderOption={option}
      value={value}
      onChange={choose}
    />
  )
}
