/**
 * The head of a screen: its heading, which is also the title of the browser's tab, badges, one line of facts, and its actions. On the phone the
 * main action stays at the bottom of the window.
 */
import { ActionIcon, Menu, Title } from "@mantine/core"
import { IconDots } from "@tabler/icons-react"
import { Fragment, type ReactNode, useEffect, useState } from "react"
import { createPortal } from "react-dom"
import { CRUMBS } from "./crumbs.ts"
import { PlainLink } from "./PlainLink.tsx"

interface Crumb {
  readonly label: string
  /** Path behind `/ui`. */
  readonly to: string
}

interface Props {
  readonly title: string
  /** The screens above this one, the highest first; by default the bar has the entry of the navigation. */
  readonly crumbs?: ReadonlyArray<Crumb>
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

const Crumbs = ({ crumbs, title }: { readonly crumbs: ReadonlyArray<Crumb>; readonly title: string }) => {
  const [bar, setBar] = useState<HTMLElement | null>(null)
  useEffect(() => setBar(document.getElementById(CRUMBS)), [])
  if (bar === null) return null
  return createPortal(
    <span className="crumbs-own">
      {crumbs.map(({ label, to }) => (
        <Fragment key={to}>
          <PlainLink to={to}>{label}</PlainLink>
          <span aria-hidden>/</span>
        </Fragment>
      ))}
      <span>{title}</span>
    </span>,
    bar
  )
}

const isShown = (part: ReactNode) => part !== undefined && part !== null && part !== false

export const PageHead = ({ actions, badges, crumbs, facts, main, more, title }: Props) => {
  useEffect(() => {
    document.title = `${title} · Switchyard`
  }, [title])
  return (
    <header className="page-head">
      {crumbs !== undefined && <Crumbs crumbs={crumbs} title={title} />}
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
