/**
 * The program `switchyard`: its sub-commands, and nothing else. The DHCP hook is called for every lease, so it is started
 * before anything larger is loaded.
 */
const [command] = process.argv.slice(2)
if (command === "dhcp-hook") await import("./dhcp/hookMain.ts")
else await import("./cli.ts")
