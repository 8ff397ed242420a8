/** The order of a staggered upgrade before it begins: which switches restart together, who waits, and for how long. */
import { List, Text, Title } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { orderSentences } from "./rollout.ts"

export const Order = ({ group }: { readonly group: string }) => {
  const asked = useAsk(
    "POST /firmware/upgradecheck",
    { body: { group } },
    { kinds: ["device", "linknet", "repository"] }
  )
  return (
    <section aria-label="Order of the upgrade">
      <Title order={2}>Order</Title>
      <Asked of={asked} what="the order of a staggered upgrade">
        {({ data: { device_count, restart_seconds, upgrade_groups } }) => (
          <>
            {orderSentences(upgrade_groups.length, device_count, restart_seconds).map((sentence) => (
              <Text key={sentence} size="sm">
                {sentence}
              </Text>
            ))}
            <List type="ordered" size="sm" aria-label="Steps">
              {upgrade_groups.map((names) => (
                <List.Item key={names.join()}>{names.join(", ")}</List.Item>
              ))}
            </List>
          </>
        )}
      </Asked>
    </section>
  )
}
