/** Settings of signing on at an identity provider (docs/sign-on.md); the names are those of existing sites. */
import { Config, Redacted } from "effect"
import { PrivateUrl } from "../domain/access/HostLists.ts"
import { filled } from "./KeyVariables.ts"

const isEmpty = (text: string): boolean => text === ""

/** What `ServerConfig` reads, by name. */
export const signOnVariables = {
  OIDC_ENABLED: Config.withDefault(Config.Boolean("OIDC_ENABLED"), false),
  OIDC_CONF_WELL_KNOWN_URL: Config.option(Config.schema(PrivateUrl, "OIDC_CONF_WELL_KNOWN_URL")),
  OIDC_CLIENT_ID: filled(Config.String("OIDC_CLIENT_ID"), isEmpty),
  OIDC_CLIENT_SECRET: filled(Config.Redacted("OIDC_CLIENT_SECRET"), (secret) => Redacted.value(secret) === ""),
  OIDC_CLIENT_SCOPE: Config.withDefault(Config.NonEmptyString("OIDC_CLIENT_SCOPE"), "openid"),
  OIDC_USERNAME_ATTRIBUTE: Config.withDefault(Config.NonEmptyString("OIDC_USERNAME_ATTRIBUTE"), "email"),
  OIDC_TRUST_EMAIL: Config.withDefault(Config.Boolean("OIDC_TRUST_EMAIL"), false),
  OIDC_REDIRECT_URL: Config.option(Config.schema(PrivateUrl, "OIDC_REDIRECT_URL")),
  FRONTEND_CALLBACK_URL: Config.withDefault(
    Config.schema(PrivateUrl, "FRONTEND_CALLBACK_URL"),
    "http://localhost/callback"
  ),
  AUDIENCE: filled(Config.String("AUDIENCE"), isEmpty),
  VERIFY_AUDIENCE: Config.withDefault(Config.Boolean("VERIFY_AUDIENCE"), true)
}
