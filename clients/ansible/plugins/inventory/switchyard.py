"""Devices of Switchyard as hosts of Ansible, in groups by state, type, group of the settings, site and platform."""

from __future__ import annotations

DOCUMENTATION = r"""
name: switchyard
short_description: Devices of Switchyard
description:
  - Reads the devices that a Switchyard server knows, with their groups.
  - The name of the file must end in C(switchyard.yml) or C(switchyard.yaml).
requirements:
  - switchyard-client
extends_documentation_fragment:
  - constructed
options:
  plugin:
    description: The name of this plugin.
    required: true
    choices: [switchyard, switchyard.network.switchyard]
  url:
    description: The address of the server.
    required: true
    env:
      - name: SWITCHYARD_URL
  token:
    description: A token that may read devices and groups.
    env:
      - name: SWITCHYARD_TOKEN
  filters:
    description: Only devices with these values, by field, as in the list of devices of the API.
    type: dict
    default: {}
"""

EXAMPLES = r"""
plugin: switchyard.network.switchyard
url: https://switchyard.example.org
filters:
  state: MANAGED
keyed_groups:
  - key: switchyard.model
    prefix: model
"""

import re

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable

try:
    from switchyard_client import Switchyard, SwitchyardError
except ImportError:
    Switchyard = None
    SwitchyardError = Exception

#: What Ansible calls the systems that it can speak to.
NETWORK_OS = {
    "eos": "arista.eos.eos",
    "ios": "cisco.ios.ios",
    "iosxr": "cisco.iosxr.iosxr",
    "junos": "junipernetworks.junos.junos",
    "nxos": "cisco.nxos.nxos",
    "nxos_ssh": "cisco.nxos.nxos",
    "frr": "frr.frr.frr",
}
SSH = 22


def group_name(kind, value):
    """The name of a group, in the letters that Ansible allows."""
    return re.sub(r"\W", "_", "{0}_{1}".format(kind, value).lower())


def groups_of(device, settings_groups):
    """The groups of a device, by its record and the groups of the settings."""
    names = [group_name("state", device["state"]), group_name("type", device["device_type"])]
    names += [group_name("group", name) for name, members in settings_groups.items() if device["hostname"] in members]
    if device["site_id"] is not None:
        names.append(group_name("site", device["site_id"]))
    if device["platform"]:
        names.append(group_name("platform", device["platform"]))
    if device["state"] == "MANAGED" and not device["synchronized"]:
        names.append("unsynchronized")
    return names


def variables_of(device):
    """The variables of a device."""
    variables = {"switchyard": dict(device)}
    if device["management_ip"]:
        variables["ansible_host"] = device["management_ip"]
    if device["port"] not in (None, SSH):
        variables["ansible_port"] = device["port"]
    if device["platform"] in NETWORK_OS:
        variables["ansible_network_os"] = NETWORK_OS[device["platform"]]
    return variables


class InventoryModule(BaseInventoryPlugin, Constructable):
    NAME = "switchyard.network.switchyard"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("switchyard.yml", "switchyard.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        if Switchyard is None:
            raise AnsibleParserError("the inventory of Switchyard needs the Python package switchyard-client")
        self._read_config_data(path)
        server = Switchyard(self.get_option("url"), token=self.get_option("token"))
        try:
            settings_groups = server.list_groups()["groups"]
            devices = list(server.all_devices(filter=self.get_option("filters") or {}))
        except SwitchyardError as error:
            raise AnsibleParserError("Switchyard: {0}".format(error)) from error
        for device in devices:
            self._add(device, settings_groups)

    def _add(self, device, settings_groups):
        host = device["hostname"]
        self.inventory.add_host(host)
        for name in groups_of(device, settings_groups):
            self.inventory.add_group(name)
            self.inventory.add_host(host, group=name)
        variables = variables_of(device)
        for name, value in variables.items():
            self.inventory.set_variable(host, name, value)
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)
