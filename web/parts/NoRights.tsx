/** A whole screen that the role may not see: which right it needs. Who grants it is the administrator. A card without rights is left out. */
import { IconLock } from "@tabler/icons-react"
import { Empty } from "./Empty.tsx"

/** `needs`: the right in words, `read jobs`. */
export const NoRights = ({ needs }: { readonly needs: string }) => (
  <div role="status">
    <Empty icon={IconLock} title="You may not see this">
      Ask an administrator for this right: {needs}.
    </Empty>
  </div>
)
