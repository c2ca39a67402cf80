-- migrate:up
-- Locks: access exclusive on submissions; share row exclusive on teams.

-- What receipts are made of. The columns are added without a default and get it afterwards, so that no row is written.
do $$
begin
  set local citus.multi_shard_modify_mode = 'sequential';

  alter table formd.submissions add column request_digest bytea;
  alter table formd.submissions add column salt uuid;
  alter table formd.submissions alter column salt set default gen_random_uuid();
  comment on column formd.submissions.request_digest is 'SHA-256 of the exact body of the request; null: accepted before there were receipts.';
  comment on column formd.submissions.salt is 'Random, for the commitment of the receipt to the data: deleted with the row, it leaves nothing that a guess could be tested with.';

  create table formd.submission_signatures (
    team_id uuid not null,
    form_id uuid not null,
    submission_id uuid not null,
    key_id text not null,
    signature_input text not null,
    signature text not null,
    constraint submission_signatures_pkey primary key (team_id, form_id, submission_id),
    constraint submission_signatures_submission_fkey foreign key (team_id, form_id, submission_id)
      references formd.submissions (team_id, form_id, id) on delete cascade,
    constraint submission_signatures_key_id_check check (char_length(key_id) <= 100),
    constraint submission_signatures_signature_input_check check (char_length(signature_input) <= 2000),
    constraint submission_signatures_signature_check check (char_length(signature) <= 200)
  );
  comment on table formd.submission_signatures is 'The signatures of submissions that came as signed requests, for their receipts.';
  comment on column formd.submission_signatures.key_id is 'As the request named it.';
  comment on column formd.submission_signatures.signature_input is 'The member sig1 of Signature-Input.';
  comment on column formd.submission_signatures.signature is 'The member sig1 of Signature.';

  create table formd.receipt_keys (
    team_id uuid not null,
    version integer not null,
    name text not null,
    public_key bytea not null,
    created_at timestamptz(3) not null,
    constraint receipt_keys_pkey primary key (team_id, version),
    constraint receipt_keys_team_fkey foreign key (team_id) references formd.teams (team_id) on delete cascade,
    constraint receipt_keys_name_check check (char_length(name) <= 2000)
  );
  comment on table formd.receipt_keys is 'The public keys of receipts; the last one signs. Private keys are derived from the master key.';
  comment on column formd.receipt_keys.name is 'The name of the key in a signed note: BASE_URL/receipts/<team>.';
  comment on column formd.receipt_keys.public_key is 'Ed25519, 32 bytes.';

  alter type formd.submission_item add attribute request_digest bytea;
  comment on column formd.submission_item.request_digest is 'SHA-256 of the exact body of the request';
  alter type formd.submission_item add attribute signature_input text;
  comment on column formd.submission_item.signature_input is 'of a signed request: the member sig1 of Signature-Input';
  alter type formd.submission_item add attribute signature text;
  comment on column formd.submission_item.signature is 'of a signed request: the member sig1 of Signature';
  alter type formd.accepted_submission add attribute request_digest bytea;
end
$$;
