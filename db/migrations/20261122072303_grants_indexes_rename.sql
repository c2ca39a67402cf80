-- migrate:up
-- Locks: none.

alter index formd.grants_form_idx rename to grants_form_old_idx;
