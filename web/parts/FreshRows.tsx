/** Above rows that stay in their places: how many new ones wait, which the button shows. */
import { Button } from "@mantine/core"

export const FreshRows = ({ count, show }: { readonly count: number; readonly show: () => void }) => (
  <div className="fresh-rows" role="status">
    <Button size="compact-sm" variant="subtle" fullWidth onClick={show}>
      {count} new, show
    </Button>
  </div>
)
