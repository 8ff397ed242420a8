/**
 * The head of a screen: its heading, which is also the title of the browser's tab, badges, one line of facts, and its actions. On the phone the
 * main action stays at the bottom of the window.
 */
import { ActionIcon, Menu, Title } from "@mantine/core"
import { IconDots } from "@tabler/icons-react"
import { type ReactNode, useEffect } from "react"

interface Props {
  readonly title: string
  /** Beside the heading: `StatusBadge`s. */
  readonly badges?: ReactNode
  /** One line below the heading. */
  readonly facts?: ReactNode
  /** At most two plain buttons. */
  readonly actions?: ReactNode
  /** The one filled button. */
  readonly main?: ReactNode
  /** `Menu.Item`s behind "…". */
  readonly more?: ReactNode
}

const isShown = (part: ReactNode) => part !== undefined && part !== null && part !== false

export const PageHead = ({ actions, badges, facts, main, more, title }: Props) => {
  useEffect(() => {
    document.title = `${title} · Switchyard`
  }, [title])
  return (
    <header className="page-head">
      <div className="page-head-text">
        <div className="page-head-line">
          <Title order={1}>{title}</Title>
          {badges}
        </div>
        {isShown(facts) && <div className="page-head-facts">{facts}</div>}
      </div>
      <div className="page-head-actions">
        {actions}
        {isShown(more) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size={30} aria-label="More actions">
                <IconDots size={16} stroke={1.75} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{more}</Menu.Dropdown>
          </Menu>
        )}
        {isShown(main) && <div className="page-head-main">{main}</div>}
      </div>
    </header>
  )
}
