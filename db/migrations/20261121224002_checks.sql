-- migrate:up transaction:false
-- Locks: access exclusive on agents, api_keys, challenges, form_access_keys, form_versions, forms, operators, signing_keys, submission_edits, submission_erasures, submissions, teams, workspaces; each for a moment, one after another.

-- Lengths of texts, and what JSON is. A check is added without reading the rows and validated afterwards, beside the traffic; each statement
-- is a transaction of its own, so that no table stays locked while another is read. If it breaks off, run formd migrate again.
--
-- The lengths are at or above what 0.1 took: names from the API 500, from commands any, a description as long as MAX_BODY_BYTES may be. A name
-- is blank when formd.is_blank says so. rate_limits and submission_counts have no new checks: only functions write those texts, and a check
-- costs 3 µs of the 18 that counting a request takes.
do $do$
declare
  c_not_blank constant text := $$name ~ '[^\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'$$;
  v_table text;
  v_constraint text;
begin
  set citus.multi_shard_modify_mode = 'sequential';
  for v_table, v_constraint in values
    ('teams', 'constraint teams_name_check check (char_length(name) <= 1000 and ' || c_not_blank || ')'),
    ('workspaces', 'constraint workspaces_name_check check (char_length(name) <= 1000 and ' || c_not_blank || ')'),
    ('operators', 'constraint operators_email_length_check check (char_length(email) <= 1000)'),
    ('operators', 'constraint operators_password_salt_check check (char_length(password_salt) <= 200)'),
    ('api_keys', 'constraint api_keys_name_check check (char_length(name) <= 1000)'),
    ('api_keys', 'constraint api_keys_key_prefix_check check (char_length(key_prefix) <= 100)'),
    ('forms', 'constraint forms_name_check check (char_length(name) <= 500 and ' || c_not_blank || ')'),
    ('forms', 'constraint forms_description_check check (char_length(description) <= 104857600)'),
    ('form_versions', 'constraint form_versions_name_check check (char_length(name) <= 500)'),
    ('form_versions', 'constraint form_versions_description_check check (char_length(description) <= 104857600)'),
    ('form_versions', $$constraint form_versions_schema_check check (jsonb_typeof(schema -> 'fields') = 'array')$$),
    ('form_access_keys', 'constraint form_access_keys_key_prefix_check check (char_length(key_prefix) <= 100)'),
    ('agents', 'constraint agents_name_check check (char_length(name) <= 500 and ' || c_not_blank || ')'),
    ('agents', 'constraint agents_client_id_check check (char_length(client_id) <= 100)'),
    ('agents', 'constraint agents_secret_prefix_check check (char_length(secret_prefix) <= 100)'),
    ('signing_keys', 'constraint signing_keys_key_id_check check (char_length(key_id) <= 100)'),
    ('signing_keys', 'constraint signing_keys_public_key_pem_check check (char_length(public_key_pem) <= 2000)'),
    ('challenges', 'constraint challenges_field_id_check check (char_length(field_id) <= 500)'),
    ('challenges', 'constraint challenges_prompt_check check (char_length(prompt) <= 1048576)'),
    ('submissions', $$constraint submissions_data_check check (jsonb_typeof(data) = 'object')$$),
    ('submission_edits', 'constraint submission_edits_field_id_check check (char_length(field_id) <= 500)'),
    ('submission_edits', 'constraint submission_edits_request_id_check check (char_length(request_id) <= 200)'),
    ('submission_erasures', 'constraint submission_erasures_field_ids_check check (cardinality(field_ids) <= 10000)'),
    ('submission_erasures', 'constraint submission_erasures_request_id_check check (char_length(request_id) <= 200)')
  loop
    execute format('alter table formd.%I drop constraint if exists %I, add %s not valid',
      v_table, split_part(v_constraint, ' ', 2), v_constraint);
    commit;
  end loop;
  for v_table, v_constraint in
    select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.connamespace = 'formd'::regnamespace and not k.convalidated
  loop
    execute format('alter table formd.%I validate constraint %I', v_table, v_constraint);
    commit;
  end loop;
end
$do$;
