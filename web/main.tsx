/** The web page of Switchyard. */
import "@fontsource-variable/inter/wght.css"
import "@fontsource-variable/jetbrains-mono/wght.css"
import "@mantine/core/styles.css"
import "@mantine/notifications/styles.css"
import "./page.css"
import "./parts/parts.css"
import { MantineProvider } from "@mantine/core"
import { Notifications } from "@mantine/notifications"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { setNonce } from "get-nonce"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { followOthers, takeUp } from "./api/session.ts"
import { LiveProvider } from "./app/Live.tsx"
import { router } from "./app/router.tsx"
import { comeBack } from "./app/signedOn.ts"
import { theme, variables } from "./app/theme.ts"

comeBack()
followOthers()
await takeUp()
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ""
setNonce(nonce)

const client = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, refetchOnWindowFocus: true } } })
const place = document.getElementById("page")

if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={client}>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
          <Notifications position="bottom-right" />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  )
}
