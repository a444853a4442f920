/// A network with cuts for machines that allow no namespaces: everything between brokers, and between them and their clients, goes through the harness, which carries it on or does not.
///
/// ```
/// caller ──▶ Forwarder ──▶ ProxiedConnection ──▶ broker
///            127.1.i.j      asks ProxyCuts        127.0.1.j
/// ```
/// [io.sluice.chaos.place.proxy.ProxyPlace] puts it together. Bytes are carried by virtual threads of the harness; the campaign's thread cuts and heals. Nothing here looks into what is
/// carried, but for the one message of ZooKeeper that names an address ([io.sluice.chaos.place.proxy.ElectionHello]).
@NullMarked
package io.sluice.chaos.place.proxy;

import org.jspecify.annotations.NullMarked;
