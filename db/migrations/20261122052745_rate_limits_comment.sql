-- migrate:up
-- Locks: share update exclusive on rate_limits.

-- It also holds the solutions of ALTCHA that were used.
comment on table formd.rate_limits is 'The times of the last requests of one key; of an ALTCHA solution, which is limited to one, its use. Of no team, and UNLOGGED: a crash resets the counts of a minute, and a solution of the last 10 minutes could be used once more. Kept until the last request leaves its window, a minute or those 10 minutes, then purged.';
