-- migrate:up transaction:false
-- Locks: share update exclusive on agents.

-- Finds the agent of a client assertion, which names no team. Client ids are made of the agents' ids, and so are unique without a constraint.
-- Built beside the traffic; if it breaks off, "drop index formd.agents_client_id_idx" and run formd migrate again.
create index concurrently agents_client_id_idx on formd.agents (client_id);
