/** An empty list: says so, and what to do next. */
import { Text } from "@mantine/core"
import type { ReactNode } from "react"

export const Empty = ({ children }: { readonly children: ReactNode }) => (
  <Text my="sm" className="empty">
    {children}
  </Text>
)
