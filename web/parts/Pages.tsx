/** The pages of a list that is read one page at a time; nothing for a single page. */
import { Pagination } from "@mantine/core"

interface Props {
  readonly matching: number | null
  readonly perPage: number
  readonly page: number
  readonly go: (page: number) => void
}

export const Pages = ({ go, matching, page, perPage }: Props) =>
  matching !== null &&
  matching > perPage && (
    <Pagination
      mt="sm"
      total={Math.ceil(matching / perPage)}
      value={page}
      onChange={go}
      getControlProps={(control) => ({ "aria-label": `${control} page` })}
    />
  )
