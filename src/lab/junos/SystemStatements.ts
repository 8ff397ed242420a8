/** Statements of the system and its hardware, in the notation of `Statements.ts`. */

/** The section `system`. */
export const SYSTEM = `
system
  host-name =
  domain-name =
  domain-search []
  root-authentication
    encrypted-password =password
    plain-text-password-value =
    ssh-rsa <> - ...
    ssh-ecdsa <> - ...
    ssh-ed25519 <> - ...
  commit
    synchronize
    persist-groups-inheritance
    fast-synchronize
    delta-export
    factory-settings ...
  configuration-database
    ephemeral ...
  management-instance
  auto-snapshot
  backup-router - ...
  inet6-backup-router - ...
  encrypt-configuration-files
  kernel-replication ...
  location ...
  master-password ...
  max-configuration-rollbacks =number(0..49)
  max-configurations-on-flash =number(0..49)
  no-compress-configuration-files
  packet-forwarding-options ...
  saved-core-context
  scripts ...
  static-host-mapping ...
  switchover-on-routing-crash
  no-redirects
  no-ping-record-route
  no-multicast-echo
  internet-options ...
  arp ...
  login
    announcement =
    message =
    retry-options ...
    password ...
    class <> ...
      idle-timeout =
      permissions []
      allow-commands =
      deny-commands =
      allow-configuration =
      deny-configuration =
    user <>
      full-name =
      uid =number(100..64000)
      class =
      authentication
        encrypted-password =password
        plain-text-password-value =
        ssh-rsa <> - ...
        ssh-ecdsa <> - ...
        ssh-ed25519 <> - ...
  services ...
    ftp {} ...
    finger
    ssh {} ...
      root-login =
      protocol-version []
      max-sessions-per-connection =number(1..65535)
      ciphers []
      macs []
      key-exchange []
      client-alive-interval =number(1..65535)
      client-alive-count-max =number(0..255)
      connection-limit =number(1..250)
      rate-limit =number(1..250)
      no-passwords
      no-password-authentication
      no-public-keys
      sftp-server
    telnet {} ...
    netconf {}
      ssh {}
        port =number(1..65535)
        connection-limit =number(1..250)
        rate-limit =number(1..250)
      rfc-compliant
      yang-compliant
      traceoptions ...
    rest {} ...
    web-management {} ...
    extension-service {} ...
    dhcp-local-server {} ...
  host-name-resolution ...
  time-zone =
  default-address-selection
  authentication-order []
  name-server {}
    *name
      source-address =address
      routing-instance =
  radius-server {}
    *name '
      port =number(1..65535)
      accounting-port =number(1..65535)
      secret =secret
      timeout =
      retry =
      source-address =address
      routing-instance =
  radius-options ...
  tacplus-server {}
    *name '
      port =number(1..65535)
      secret =secret
      timeout =
      single-connection
      source-address =address
      routing-instance =
  tacplus-options ...
  accounting ...
  syslog {}
    archive - ...
    user <> ...
    host <> ...
      port =
      facility-override =
      source-address =address
      structured-data {} ...
    file <> ...
      archive - ...
      structured-data {} ...
    console ...
    time-format ...
    source-address =address
  archival {}
    configuration
      transfer-interval =
      transfer-on-commit
      archive-sites {}
        *archive-sites -
          password =secret
  processes ...
  license ...
  phone-home ...
  ntp {}
    boot-server =
    authentication-key <> -
      type =
      value =secret
    server <> -
      key =
      version =
      prefer
      routing-instance =
      routing-instance =
    trusted-key []
    source-address <> - ...
  autoinstallation ...
  ports ...
`

/** The sections of the hardware. */
export const CHASSIS = `
chassis
  redundancy ...
    graceful-switchover {}
    failover ...
  aggregated-devices {}
    ethernet
      device-count =number(1..1000)
      lacp ...
  auto-image-upgrade
  alarm ...
  fpc <> ...
    pic <> ...
  member <> ...
  network-services =
  craft-lockout
  lcd-menu ...
virtual-chassis
  preprovisioned
  no-split-detection
  mac-persistence-timer =
  auto-sw-update ...
  member <> ~
    role =
    serial-number =
    mastership-priority =number(0..255)
    location =
    no-management-vlan
  vcp-snmp-statistics
poe
  management =
  guard-band =
  notification-control ...
  interface <> ~
    disable
    priority =
    maximum-power =
    telemetries ...
`
