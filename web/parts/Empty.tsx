/** An empty list: what is not here, why that is fine or what to do, and one action. */
import { Text } from "@mantine/core"
import type { Icon } from "@tabler/icons-react"
import type { ReactNode } from "react"

interface Props {
  readonly icon?: Icon
  /** What is not here. */
  readonly title?: string
  readonly children?: ReactNode
  /** A button or a link. */
  readonly action?: ReactNode
}

export const Empty = ({ action, children, icon: Shape, title }: Props) => (
  <div className="empty">
    {Shape !== undefined && <Shape size={20} stroke={1.75} aria-hidden />}
    {title !== undefined && <b>{title}</b>}
    {children !== undefined && <Text component="div">{children}</Text>}
    {action}
  </div>
)
