-- migrate:up
-- Locks: share update exclusive on agents, forms, grants, idempotency_keys, nonces, rate_limits, sessions, submission_counts, submissions.

do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  -- No plan asks for the content of these columns, and most of an ANALYZE was spent on them: of 60,000 submissions it takes 0.55 s
  -- of CPU without them and 1.3 s with them; of 30,000 rate limits 20 ms and 51 ms.
  alter table formd.submissions alter column data set statistics 0, alter column metadata set statistics 0;
  alter table formd.rate_limits alter column ticks set statistics 0, alter column hits set statistics 0;

  -- A fifth of a table, the default, is 20 million rows of 100 million: so many would be counted and paged over in the heap and not in the
  -- index alone, for want of bits in the visibility map.
  alter table formd.submissions set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.01);

  -- A plan made while a table has few rows can walk an index that begins with another column (239 buffers and 0.72 ms per call
  -- with 20,000 forms, 0.05 ms after ANALYZE), and is kept until the next ANALYZE: that comes after 2 % of new rows, not 10 %.
  alter table formd.forms set (autovacuum_analyze_scale_factor = 0.02);
  alter table formd.agents set (autovacuum_analyze_scale_factor = 0.02);
  alter table formd.grants set (autovacuum_analyze_scale_factor = 0.02);

  -- Every row is deleted some time later. vacuum_truncate: the purge empties the end of the heap, and giving it back takes an access
  -- exclusive lock that requests would wait for; the next rows use it. The index on a random hash grows before the heap does.
  alter table formd.sessions set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
    vacuum_truncate = false);
  alter table formd.nonces set (autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);
  alter table formd.idempotency_keys set (autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);

  -- Their updates are HOT (8,570 of 8,570 under load) and are pruned by the next one on the page. What vacuum adds is needed by count, not by
  -- share: with 100,000 forms a fifth of the counters is 400,000 dead rows.
  alter table formd.rate_limits set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, vacuum_truncate = false);
  alter table formd.submission_counts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
end
$$;
