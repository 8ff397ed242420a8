"""Runs the inventory plugin without Ansible, whose classes are replaced by what the plugin uses of them, and prints it as JSON.

Usage: without_ansible.py OPTIONS, with the options of the plugin as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from pathlib import Path


class BaseInventoryPlugin:
    def __init__(self, options):
        self.options = options

    def verify_file(self, path):
        return True

    def parse(self, inventory, loader, path, cache=True):
        self.inventory = inventory

    def _read_config_data(self, path):
        pass

    def get_option(self, name):
        return self.options.get(name)


class Constructable:
    def _nothing(self, wanted, variables, host, strict=False):
        assert not wanted, "Ansible itself makes these groups"

    _set_composite_vars = _add_host_to_composed_groups = _add_host_to_keyed_groups = _nothing


class Inventory:
    """As Ansible's: a host can be put only into a group that was added."""

    def __init__(self):
        self.groups = {}
        self.hosts = {}

    def add_group(self, name):
        self.groups.setdefault(name, [])

    def add_host(self, host, group=None):
        self.hosts.setdefault(host, {})
        if group is not None and host not in self.groups[group]:
            self.groups[group].append(host)

    def set_variable(self, host, name, value):
        self.hosts[host][name] = value


def load():
    errors = types.ModuleType("ansible.errors")
    errors.AnsibleParserError = type("AnsibleParserError", (Exception,), {})
    plugins = types.ModuleType("ansible.plugins.inventory")
    plugins.BaseInventoryPlugin = BaseInventoryPlugin
    plugins.Constructable = Constructable
    names = {"ansible": types.ModuleType("ansible"), "ansible.errors": errors}
    sys.modules.update(names, **{"ansible.plugins": types.ModuleType("ansible.plugins"), "ansible.plugins.inventory": plugins})
    file = Path(__file__).parent.parent / "plugins/inventory/switchyard.py"
    spec = importlib.util.spec_from_file_location("switchyard_inventory", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    plugin = load().InventoryModule(json.loads(sys.argv[1]))
    assert plugin.verify_file("network.switchyard.yml") and not plugin.verify_file("network.yml")
    inventory = Inventory()
    plugin.parse(inventory, None, "network.switchyard.yml")
    print(json.dumps({"groups": inventory.groups, "hosts": inventory.hosts}))
