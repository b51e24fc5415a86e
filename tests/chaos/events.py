# SPDX-License-Identifier: MIT
"""What happens to a pipeline: each kind of event is a function of the world and a generator of chance.

The world has: kafka (a Cluster), replicas, group (the pipeline's), topics, pause_seconds (longer than a member
may be silent), end_seconds (in which a pipeline has to stop). An event returns when it is over, so that one
does not hide another; what it disturbs may still be busy.
"""
import signal
import time

import records


def kill(world, chance):
    """A replica dies at once; the orchestrator starts it again."""
    chance.choice(world.replicas.running()).signal(signal.SIGKILL)


def terminate(world, chance):
    """A replica is told to stop, does so, and is started again."""
    replica = chance.choice(world.replicas.running())
    status = world.replicas.stop(replica, world.end_seconds)
    if status != 0:
        world.complain(f"replica {replica.number} ended with status {status} after SIGTERM:\n{replica.tail()}")
    world.replicas.restart(replica)


def pause(world, chance):
    """A replica is silent for so long that others take its partitions; then it wakes and knows nothing of it."""
    replica = chance.choice(world.replicas.running())
    replica.signal(signal.SIGSTOP)
    time.sleep(world.pause_seconds)
    if replica.is_running():
        replica.signal(signal.SIGCONT)


def restart_broker(world, chance):
    """A broker dies or is stopped, is away for a while, and comes back."""
    node = chance.choice(list(world.kafka.nodes))
    chance.choice((world.kafka.kill, world.kafka.stop))(node)
    time.sleep(chance.uniform(0, 4))
    world.kafka.start(node)


def others(world, leader):
    return [node for node in world.kafka.nodes if node != leader]


def move_leader(world, chance):
    """A partition gets another leader."""
    topic, partition = chance.choice(world.topics), chance.randrange(records.PARTITIONS)
    world.kafka.move_leader(topic, partition, chance.choice(others(world, world.kafka.leader(topic, partition))))


def move_coordinator(world, chance):
    """The consumer group gets another coordinator."""
    node = chance.choice(others(world, world.kafka.coordinator(world.group)))
    world.kafka.move_leader("__consumer_offsets", offsets_partition(world.group, world.offsets_partitions), node)


def offsets_partition(group, partitions):
    """Where Kafka keeps a group: the hash of a Java string."""
    hashed = 0
    for sign in group:
        hashed = (hashed * 31 + ord(sign)) & 0xFFFFFFFF
    return (hashed & 0x7FFFFFFF) % partitions


def scale(world, chance):
    """A replica more for a while, then one less: partitions move both times."""
    world.replicas.add()
    time.sleep(chance.uniform(2, 6))
    world.replicas.stop(chance.choice(world.replicas.running()), world.end_seconds)


KINDS = {"kill": kill, "terminate": terminate, "pause": pause, "broker": restart_broker, "leader": move_leader,
         "coordinator": move_coordinator, "scale": scale}


def schedule(chance, kinds, count):
    """As many of each kind as possible, in an order by chance."""
    rounds = [kind for _ in range(count // len(kinds) + 1) for kind in chance.sample(kinds, len(kinds))]
    return rounds[:count]
