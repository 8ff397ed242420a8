/** Settings of signing on at an identity provider (docs/sign-on.md); the names are those of existing sites. */
import { Config, Redacted } from "effect"
import { PrivateUrl } from "../domain/access/HostLists.ts"
import { filled } from "./KeyVariables.ts"
import { optional, setting, withDefault } from "./SettingForms.ts"

const isEmpty = (text: string): boolean => text === ""

/** The rows of the table of settings, by name. */
export const signOnSettings = {
  OIDC_ENABLED: withDefault(
    Config.Boolean("OIDC_ENABLED"),
    false,
    "whether people sign on at an identity provider (docs/sign-on.md); tokens of JWT_CERT then count no more"
  ),
  OIDC_CONF_WELL_KNOWN_URL: optional(
    Config.schema(PrivateUrl, "OIDC_CONF_WELL_KNOWN_URL"),
    "where the provider describes itself (`https://id.example.org/realms/net/.well-known/openid-configuration`)"
  ),
  OIDC_CLIENT_ID: setting(
    filled(Config.String("OIDC_CLIENT_ID"), isEmpty),
    "",
    "name of this server as a client of the provider"
  ),
  OIDC_CLIENT_SECRET: setting(
    filled(Config.Redacted("OIDC_CLIENT_SECRET"), (secret) => Redacted.value(secret) === ""),
    "",
    "its secret; without one it is a public client, whose codes PKCE alone guards"
  ),
  OIDC_CLIENT_SCOPE: withDefault(
    Config.NonEmptyString("OIDC_CLIENT_SCOPE"),
    "openid",
    "scopes that are asked for, with `openid` (`openid email profile`)"
  ),
  OIDC_USERNAME_ATTRIBUTE: withDefault(
    Config.NonEmptyString("OIDC_USERNAME_ATTRIBUTE"),
    "email",
    "attribute that names somebody in jobs, events and the audit"
  ),
  OIDC_TRUST_EMAIL: withDefault(
    Config.Boolean("OIDC_TRUST_EMAIL"),
    false,
    "a mail address counts although the provider does not say `email_verified: true`; never one of which it says `false`"
  ),
  OIDC_REDIRECT_URL: optional(
    Config.schema(PrivateUrl, "OIDC_REDIRECT_URL"),
    "address of `/auth/auth` as browsers see it; without it made of the request (`https://nms.example.org/api/v1.0/auth/auth`)"
  ),
  FRONTEND_CALLBACK_URL: withDefault(
    Config.schema(PrivateUrl, "FRONTEND_CALLBACK_URL"),
    "http://localhost/callback",
    "page that gets the token after a login, as `?token=…&username=…`"
  ),
  AUDIENCE: setting(
    filled(Config.String("AUDIENCE"), isEmpty),
    "",
    "audience (`aud`) that the provider's tokens have to name; without it OIDC_CLIENT_ID"
  ),
  VERIFY_AUDIENCE: withDefault(Config.Boolean("VERIFY_AUDIENCE"), true, "whether they have to")
}
