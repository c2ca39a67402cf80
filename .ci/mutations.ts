// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
/**
 * The proof that no rule loses its test: each mutation breaks one rule of `src` or `sql` in one line, and the
 * tests of its noun must fail. For who moves or removes tests: `bun .ci/mutations.ts` runs all, with `3 7-12`
 * some, `--list` prints them, `--baseline` runs their tests without a mutation.
 *
 * Only a test that fails by its name counts, and not because the program is broken. The files are written
 * back, also when the run is broken off.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Mutation {
  rule: string;
  file: string;
  /** Occurs in the file exactly once. */
  from: string;
  to: string;
  /** Files and directories that could hold the rule, of every kind of test. Absent ones are skipped. */
  tests: string[];
}

const mutations: Mutation[] = [
  {
    rule: "Granting again changes the one grant",
    file: "sql/310_grants.sql",
    from: "  on conflict (team_id, agent_id, form_id) do nothing;",
    to: "  ;",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "Granting again keeps what is not said",
    file: "sql/310_grants.sql",
    from: "coalesce(p_binding_required, v_grant.binding_required);",
    to: "coalesce(p_binding_required, false);",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "An API key loosens no binding",
    file: "sql/310_grants.sql",
    from: "and (v_grant.binding_required and not p_binding_required or",
    to: "and (",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "Changes of one agent wait for each other: none comes after its revocation",
    file: "sql/300_agents.sql",
    from: "from formd.agents a where a.team_id = p_team and a.id = p_agent for no key update;",
    to: "from formd.agents a where a.team_id = p_team and a.id = p_agent;",
    tests: [
      "tests/sql/agents.test.ts",
      "tests/sql/grants.test.ts",
      "tests/sql/signing_keys.test.ts",
      "tests/http/signing-keys",
      "tests/http/grants",
    ],
  },
  {
    rule: "An agent has at most 20 active signing keys",
    file: "sql/320_signing_keys.sql",
    from: "if v_active >= c_signing_key_max_active then",
    to: "if v_active > c_signing_key_max_active then",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "One PEM belongs to one agent",
    file: "sql/320_signing_keys.sql",
    from: "if v_key.agent_id <> p_agent or v_key.public_key_pem <> p_pem then",
    to: "if v_key.public_key_pem <> p_pem then",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "Another team neither blocks nor borrows a signing key",
    file: "sql/320_signing_keys.sql",
    from: "where k.team_id = p_team and k.key_id = p_key_id;\n  if not found then\n    select",
    to: "where k.key_id = p_key_id;\n  if not found then\n    select",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "A nonce counts once",
    file: "sql/320_signing_keys.sql",
    from: "where nonces.expires_at < v_now;",
    to: "where nonces.expires_at > v_now;",
    tests: [
      "tests/sql/signing_keys.test.ts",
      "tests/http/signed-requests-refused.test.ts",
      "tests/http/signed-requests.server.test.ts",
      "tests/http/challenges",
      "tests/http/oauth",
    ],
  },
  {
    rule: "An API key has no more than its scopes",
    file: "sql/120_api_keys.sql",
    from: "case when p_scope = any (v_scopes) then 'allowed'",
    to: "case when true then 'allowed'",
    tests: ["tests/sql/api_keys.test.ts", "tests/http/authorization.test.ts", "tests/http/agents"],
  },
  {
    rule: "A revoked API key is none",
    file: "sql/120_api_keys.sql",
    from: "k.key_hash = p_hash and k.revoked_at is null",
    to: "k.key_hash = p_hash",
    tests: [
      "tests/sql/api_keys.test.ts",
      "tests/http/revocation.server.test.ts",
      "tests/http/agents",
      "tests/http/console/keys.test.ts",
    ],
  },
  {
    rule: "Each act has its least role",
    file: "sql/110_operators.sql",
    from: "array_position(c_ascending, r.role) >= array_position(c_ascending, v_role);",
    to: "r.role is not null;",
    tests: [
      "tests/sql/roles.test.ts",
      "tests/http/authorization.test.ts",
      "tests/http/agents/access.test.ts",
      "tests/http/signing-keys",
    ],
  },
  {
    rule: "A new password by a link ends the sessions",
    file: "sql/112_passwords.sql",
    from: "where s.operator_id = p_operator and s.token_hash is distinct from p_token_hash;",
    to: "where false;",
    tests: [
      "tests/sql/passwords.test.ts",
      "tests/sql/operator_sessions.test.ts",
      "tests/http/operators",
      "tests/http/console/operators.server.test.ts",
    ],
  },
  {
    rule: "A risky act asks for a recent password",
    file: "sql/113_operator_sessions.sql",
    from: "when v_proved_at < v_proved_since then",
    to: "when false then",
    tests: [
      "tests/sql/operator_sessions.test.ts",
      "tests/http/operators",
      "tests/http/agents/access.test.ts",
    ],
  },
  {
    rule: "A passkey's challenge is used once",
    file: "sql/114_passkeys.sql",
    from: "  delete from formd.passkey_challenges c\n  where c.challenge_hash",
    to: "  perform from formd.passkey_challenges c\n  where c.challenge_hash",
    tests: ["tests/sql/passkeys.test.ts", "tests/http/operators/passkeys.server.test.ts"],
  },
  {
    rule: "A new password removes the passkeys",
    file: "sql/112_passwords.sql",
    from: "(delete from formd.operator_passkeys p where p.operator_id = p_operator returning p.name)",
    to: "(select p.name from formd.operator_passkeys p where p.operator_id = p_operator)",
    tests: ["tests/sql/passwords.test.ts"],
  },
  {
    rule: "An act asks for its proof",
    file: "src/pages/console/frame/reauthentication.tsx",
    from: "(isRecent === true && isProofStale(session));",
    to: "false;",
    tests: ["tests/http/console/proof.server.test.ts"],
  },
  {
    rule: "Programs that strangers name are not in the networks of webhooks",
    file: "src/platform/outgoing/guard.ts",
    from: 'stranger: "DECLARED_AGENT_NETWORKS"',
    to: 'stranger: "OUTGOING_ALLOWED_NETWORKS"',
    tests: ["tests/unit/outgoing.test.ts", "tests/http/form-page/declared-agents.server.test.ts"],
  },
  {
    rule: "Right logouts are not refused for wrong ones",
    file: "src/resources/operators/operator-sessions.ts",
    from: "  try {\n    return await act();\n  } catch (error) {",
    to: "  admitIp(request, name);\n  try {\n    return await act();\n  } catch (error) {",
    tests: ["tests/http/operators/openid.server.test.ts"],
  },
  {
    rule: "An act is recorded with its actor",
    file: "sql/130_audit.sql",
    from: "p_object, (p_actor).type, (p_actor).id,",
    to: "p_object, (p_actor).type, null,",
    tests: ["tests/sql/audit.test.ts", "tests/http/audit", "tests/http/agents"],
  },
  {
    rule: "A patch is for the version that its sender has read",
    file: "sql/203_form_changes.sql",
    from: "elsif v_form.current_version <> p_expected_version then",
    to: "elsif false then",
    tests: ["tests/sql/form_changes.test.ts", "tests/sql/forms.test.ts", "tests/http/forms"],
  },
  {
    rule: "An agent submits once in 5 s",
    file: "sql/500_submit.sql",
    from: "c_agent_submit_requests constant integer := 1;",
    to: "c_agent_submit_requests constant integer := 2;",
    tests: ["tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "Of submits with one Idempotency-Key at once one is stored",
    file: "sql/500_submit.sql",
    from: "    where i.expires_at < v_now;",
    to: "    where true;",
    tests: ["tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "Another body under a key of a stored submission is refused",
    file: "sql/500_submit.sql",
    from: "if found and v_body_hash = p_item.body_hash then",
    to: "if found then",
    tests: ["tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "A submission is validated by the version that is published",
    file: "sql/500_submit.sql",
    from: "or (p_item.validation <> 'pending' and p_item.version is not distinct from p_form.version);",
    to: "or p_item.validation <> 'pending';",
    tests: ["tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "A form with a maximum takes no more",
    file: "sql/500_submit.sql",
    from: "if v_capacities[v_limit] <= 0 then",
    to: "if v_capacities[v_limit] < 0 then",
    tests: ["tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "A closed form takes nothing",
    file: "sql/420_authorization.sql",
    from: "elsif v_now >= v_closes_at then",
    to: "elsif false then",
    tests: ["tests/sql/authorization.test.ts", "tests/sql/submit.test.ts", "tests/http/submit"],
  },
  {
    rule: "An option with a limit is chosen no more than that",
    file: "sql/430_option_limits.sql",
    from: "c.total >= c.max_total\n      and p_data",
    to: "c.total > c.max_total\n      and p_data",
    tests: [
      "tests/sql/option_limits.test.ts",
      "tests/http/submit",
      "tests/http/form-page/option-limits.test.ts",
    ],
  },
  {
    rule: "The page of a form names the places that are left where they are few",
    file: "sql/430_option_limits.sql",
    from: "c.max_total - c.total <= greatest(c_few",
    to: "c.max_total - c.total < greatest(c_few",
    tests: ["tests/sql/option_limits.test.ts"],
  },
  {
    rule: "A new choice keeps its value for itself",
    file: "src/pages/console/questions/choice-rows.ts",
    from: " && !taken.has(own)",
    to: "",
    tests: ["tests/unit/choice-rows.test.ts"],
  },
  {
    rule: "An access key ends when it expires",
    file: "sql/420_authorization.sql",
    from: "    and (k.expires_at is null or k.expires_at > v_now);",
    to: "    and (true);",
    tests: [
      "tests/sql/access_keys.test.ts",
      "tests/sql/authorization.test.ts",
      "tests/http/submit",
      "tests/http/revocation.server.test.ts",
    ],
  },
  {
    rule: "A session ends",
    file: "sql/420_authorization.sql",
    from: "and s.token_hash = p_credentials.credential_hash and s.expires_at > v_now;",
    to: "and s.token_hash = p_credentials.credential_hash;",
    tests: [
      "tests/sql/authorization.test.ts",
      "tests/sql/sessions.test.ts",
      "tests/http/sessions",
      "tests/http/submit",
      "tests/http/agents",
    ],
  },
  {
    rule: "A challenge takes three attempts",
    file: "sql/510_challenges.sql",
    from: "c_challenge_max_attempts constant integer := 3;",
    to: "c_challenge_max_attempts constant integer := 4;",
    tests: ["tests/sql/challenges.test.ts", "tests/http/challenges"],
  },
  {
    rule: "A challenge is of the agent that it was issued to",
    file: "sql/510_challenges.sql",
    from: "elsif v_challenge.agent_id is distinct from result.caller_id then",
    to: "elsif false then",
    tests: ["tests/sql/challenges.test.ts", "tests/http/challenges"],
  },
  {
    rule: "An edit is of the submission as its sender has read it",
    file: "sql/523_edits.sql",
    from: "if v_row.updated_at <> p_expected_updated_at then",
    to: "if false then",
    tests: ["tests/sql/edits.test.ts", "tests/sql/submissions.test.ts", "tests/http/submissions"],
  },
  {
    rule: "A deleted submission leaves no values in its edits",
    file: "sql/524_erase.sql",
    from: "set old_value = null, new_value = null, erased_at = v_now",
    to: "set erased_at = v_now",
    tests: [
      "tests/sql/erase.test.ts",
      "tests/sql/edits.test.ts",
      "tests/sql/submissions.test.ts",
      "tests/http/submissions",
    ],
  },
  {
    rule: "Only a pending submission is reviewed",
    file: "sql/525_review.sql",
    from: "or v_row.updated_at <> p_expected_updated_at or v_row.status <> 'pending' then",
    to: "or v_row.updated_at <> p_expected_updated_at then",
    tests: ["tests/sql/review.test.ts", "tests/http/submissions", "tests/http/console/review.test.ts"],
  },
  {
    rule: "A held form deletes no submission",
    file: "sql/526_holds.sql",
    from: "    and (h.submission_id is null or h.submission_id = p_submission);",
    to: "    and h.submission_id = p_submission;",
    tests: ["tests/sql/holds.test.ts", "tests/http/holds", "tests/http/submissions"],
  },
  {
    rule: "The rule of deletion leaves out what is held",
    file: "sql/527_retention.sql",
    from: "        and h.submission_id = any (v_ids)));",
    to: "        and false));",
    tests: ["tests/sql/retention.test.ts", "tests/sql/holds.test.ts", "tests/http/retention"],
  },
  {
    rule: "A receipt is of what was accepted, before edits",
    file: "sql/700_receipts.sql",
    from: "data := (data - v_edited) || coalesce(v_accepted, '{}');",
    to: "data := data;",
    tests: ["tests/sql/receipts.test.ts", "tests/http/receipts"],
  },
  {
    rule: "A file is claimed once",
    file: "sql/550_files.sql",
    from: "and f.form_id = v_item.form_id and f.state = 'uploaded'",
    to: "and f.form_id = v_item.form_id and f.state in ('uploaded', 'claimed')",
    tests: ["tests/sql/files.test.ts", "tests/http/files"],
  },
  {
    rule: "A webhook that responds 410 is disabled",
    file: "sql/615_deliver.sql",
    from: "when v_result.status = c_gone then 'gone'",
    to: "when false then 'gone'",
    tests: ["tests/sql/deliver.test.ts", "tests/http/webhooks", "tests/http/console/nouns.test.ts"],
  },
  {
    rule: "A webhook has at most 4 requests at a time",
    file: "sql/615_deliver.sql",
    from: "c_webhook_max_concurrent constant integer := 4;",
    to: "c_webhook_max_concurrent constant integer := 5;",
    tests: ["tests/sql/deliver.test.ts", "tests/http/webhooks"],
  },
  {
    rule: "An operator gets no mail of a kind that they have turned off",
    file: "sql/620_mails.sql",
    from: "where o.id = any (p_operators) and p_kind <> all (o.mails_off)",
    to: "where o.id = any (p_operators)",
    tests: ["tests/sql/mails.test.ts", "tests/http/operators/mails.test.ts", "tests/http/mails"],
  },
  {
    rule: "Expired nonces are purged",
    file: "sql/900_purge.sql",
    from: "    'nonces', 'sessions',",
    to: "    'sessions',",
    tests: ["tests/sql/purge.test.ts"],
  },
  {
    rule: "An agent's tools are of the forms that it has a grant for",
    file: "sql/530_mcp.sql",
    from: "where g.team_id = p_team and g.agent_id = mcp_agent_forms.agent_id",
    to: "where g.team_id = p_team",
    tests: ["tests/sql/mcp.test.ts", "tests/http/mcp"],
  },
  {
    rule: "A webhook's signature covers id, time and body",
    file: "src/resources/webhooks/signature.ts",
    from: "Buffer.from(`${event}.${timestamp}.`)",
    to: "Buffer.from(`${event}.`)",
    tests: ["tests/unit/webhooks.test.ts", "tests/http/webhooks", "tests/cli/webhook.test.ts"],
  },
  {
    rule: "No webhook goes to an address that is not public",
    file: "src/platform/outgoing/guard.ts",
    from: "if (!isPublic(parsed))\n",
    to: "if (false)\n",
    tests: [
      "tests/unit/webhooks.test.ts",
      "tests/http/webhooks",
      "tests/http/operators/openid.server.test.ts",
    ],
  },
  {
    rule: "A name is resolved and checked before a connection to it",
    file: "src/platform/outgoing/guard.ts",
    from: "for (const { address } of addresses) requireReachable(address, protocol, networks);",
    to: "",
    tests: ["tests/unit/webhooks.test.ts", "tests/http/webhooks"],
  },
  {
    rule: "A file's content must be what its name says",
    file: "src/platform/files/content-type.ts",
    from: "return isOne || mime.getAllExtensions(type)?.has(extension) ? type : undefined;",
    to: "return type;",
    tests: ["tests/http/files", "tests/http/form-page/files.server.test.ts"],
  },
  {
    rule: "A field's greatest size of a file counts",
    file: "src/resources/files/upload.ts",
    from: "const most = Math.min(ofField, maxBytes);",
    to: "const most = maxBytes;",
    tests: ["tests/http/files", "tests/http/form-page/files.server.test.ts"],
  },
  {
    rule: "A key of receipts is believed by a key that is believed",
    file: "src/resources/receipts/chain.ts",
    from: "...(predecessor && believed.has(predecessor) ? [predecessor] : []),",
    to: "...(predecessor ? [predecessor] : []),",
    tests: ["tests/unit/receipt-chain.test.ts", "tests/http/receipts"],
  },
  {
    rule: "The commitment of a receipt is salted",
    file: "src/resources/receipts/receipt.ts",
    from: "written(sha256(salt, canonical(data)));",
    to: "written(sha256(canonical(data)));",
    tests: ["tests/unit/receipts.test.ts", "tests/http/receipts"],
  },
  {
    rule: "A signed request expires",
    file: "src/platform/auth/http-signature.ts",
    from: "|| (expires !== undefined && now > expires))",
    to: ")",
    tests: [
      "tests/unit/http-signature.test.ts",
      "tests/unit/web-bot-auth.test.ts",
      "tests/http/signed-requests-refused.test.ts",
      "tests/http/web-bot-auth.test.ts",
    ],
  },
  {
    rule: "A signature covers the path",
    file: "src/platform/auth/http-signature.ts",
    from: 'const required = ["@method", "@authority", "@path"];',
    to: 'const required = ["@method", "@authority"];',
    tests: [
      "tests/unit/http-signature.test.ts",
      "tests/unit/http-signature-input.test.ts",
      "tests/http/signed-requests-refused.test.ts",
    ],
  },
  {
    rule: "A signature names its algorithm",
    file: "src/platform/auth/http-signature.ts",
    from: "const { created, keyid, alg, nonce, expires } =",
    to: 'const { created, keyid, alg = "ed25519", nonce, expires } =',
    tests: [
      "tests/unit/http-signature.test.ts",
      "tests/unit/http-signature-input.test.ts",
      "tests/http/signed-requests-refused.test.ts",
    ],
  },
  {
    rule: "A signature covers the bytes of the body",
    file: "src/platform/auth/http-signature.ts",
    from: "? message.bytes === undefined || digestMatches(message.headers, message.bytes)",
    to: "? true",
    tests: [
      "tests/unit/http-signature.test.ts",
      "tests/http/signed-requests.server.test.ts",
      "tests/http/signed-requests-refused.test.ts",
    ],
  },
  {
    rule: "An assertion is for this server",
    file: "src/protocols/oauth/assertion.ts",
    from: "      audience: [issuerOf(config), tokenEndpointOf(config)],\n",
    to: "",
    tests: ["tests/http/oauth"],
  },
  {
    rule: "An assertion lives for some minutes at most",
    file: "src/protocols/oauth/assertion.ts",
    from: '(exp > Date.now() / 1000 + maxLifetimeSeconds + maxSkewSeconds ? "exp" : undefined);',
    to: "undefined;",
    tests: ["tests/http/oauth"],
  },
  {
    rule: "An assertion of a person is for the client that brings it",
    file: "src/protocols/oauth/person.ts",
    from: "client_id: client_id === clientId,",
    to: "client_id: true,",
    tests: ["tests/http/oauth"],
  },
  {
    rule: "A sign-in by OpenID ends in the browser that began it",
    file: "src/resources/operators/openid.ts",
    from: "    expectedState: state,",
    to: "    expectedState: client.skipStateCheck,",
    tests: ["tests/http/operators/openid.server.test.ts"],
  },
  {
    rule: "An address that the provider has not verified signs no one in",
    file: "src/resources/operators/openid.ts",
    from: "email: isUsable && isVerified === true &&",
    to: "email: isUsable &&",
    tests: ["tests/http/operators/openid.server.test.ts"],
  },
  {
    rule: "A piece of the address is no password",
    file: "src/platform/auth/password-rules.ts",
    from: "if (email.toLowerCase().includes(password.toLowerCase()))",
    to: "if (email.toLowerCase() === password.toLowerCase())",
    tests: ["tests/unit/password-rules.test.ts"],
  },
  {
    rule: "A common password is refused",
    file: "src/platform/auth/password-rules.ts",
    from: "if ((await common()).has(password.toLowerCase()))",
    to: "if (false)",
    tests: [
      "tests/unit/password.test.ts",
      "tests/http/operators",
      "tests/http/console/operators.server.test.ts",
      "tests/cli/commands.test.ts",
    ],
  },
  {
    rule: "No script reads the cookie of a session",
    file: "src/platform/http/cookie.ts",
    from: "Path=/; HttpOnly; SameSite=",
    to: "Path=/; SameSite=",
    tests: ["tests/http/operators", "tests/http/console/session.test.ts"],
  },
  {
    rule: "A write by cookie comes from a page of this server",
    file: "src/platform/auth/csrf.ts",
    from: "if (origin !== base.origin && origin !== own) throw",
    to: "if (false) throw",
    tests: [
      "tests/http/operators/sessions.server.test.ts",
      "tests/http/agents/access.test.ts",
      "tests/http/console/session.test.ts",
    ],
  },
  {
    rule: "A form post without an Origin has the session's token",
    file: "src/pages/console/frame/session.ts",
    from: "timingSafeEqual(sha256(token), sha256(csrf))",
    to: "timingSafeEqual(sha256(csrf), sha256(csrf))",
    tests: ["tests/http/console/session.test.ts", "tests/http/console/submissions.test.ts"],
  },
  {
    rule: "A page leaves out what a viewer may not do",
    file: "src/pages/console/frame/layout.tsx",
    from: "return workspace !== undefined && mayAct(workspace.role, kind, workspace);",
    to: "return workspace !== undefined;",
    tests: [
      "tests/http/console/acts.test.ts",
      "tests/http/console/nouns.test.ts",
      "tests/http/console/operators.server.test.ts",
      "tests/http/console/submissions.test.ts",
      "tests/http/console/submission-list.test.ts",
      "tests/http/console/review.test.ts",
    ],
  },
  {
    rule: "A page and its SQL function ask for the same role",
    file: "src/resources/operators/roles.ts",
    from: '"submission.deleted": "editor",',
    to: '"submission.deleted": "viewer",',
    tests: [
      "tests/sql/roles.test.ts",
      "tests/http/console/submissions.test.ts",
      "tests/http/console/acts.test.ts",
    ],
  },
  {
    rule: "Values of other steps are those that were sent",
    file: "src/pages/form-page/hidden-fields.ts",
    from: "return given.length === expected.length && timingSafeEqual(given, expected);",
    to: "return given.length === expected.length;",
    tests: ["tests/http/form-page/steps.server.test.ts", "tests/http/form-page/form-page.test.ts"],
  },
  {
    rule: "The address fills in what the form lets it",
    file: "src/pages/form-page/applicable.ts",
    from: "filter(({ definition }) => definition.prefill === true)",
    to: "filter(({ definition }) => definition.prefill !== null)",
    tests: [
      "tests/http/form-page/page-settings.test.ts",
      "tests/http/form-page/form-page.test.ts",
      "tests/http/form-page/steps.server.test.ts",
    ],
  },
  {
    rule: "A page of an older version is not stored",
    file: "src/pages/form-page/post.ts",
    from: "if (version !== null && version !== String(published.version)) {",
    to: "if (false) {",
    tests: ["tests/http/form-page"],
  },
  {
    rule: "A form with a CAPTCHA stores nothing without its token",
    file: "src/pages/form-page/post.ts",
    from: "await verifyCaptcha(deps, request, captchaToken(deps, posted.values));",
    to: "",
    tests: ["tests/http/form-page/captcha.server.test.ts", "tests/http/sessions/altcha.server.test.ts"],
  },
  {
    rule: "The button of a page that is pressed twice stores once",
    file: "src/pages/form-page/post.ts",
    from: "const idempotencyKey = pageKeyOf(values);",
    to: "const idempotencyKey = undefined;",
    tests: [
      "tests/http/form-page/form-page.test.ts",
      "tests/http/form-page/sent.test.ts",
      "tests/http/form-page/steps.server.test.ts",
    ],
  },
  {
    rule: "A refused post keeps what was entered",
    file: "src/pages/form-page/next-step.ts",
    from: "    values: allValues(sent),",
    to: "    values: allValues(new URLSearchParams()),",
    tests: [
      "tests/http/form-page/form-page.test.ts",
      "tests/http/form-page/controls.test.ts",
      "tests/http/form-page/files.server.test.ts",
    ],
  },
  {
    rule: "A step with errors is shown again",
    file: "src/pages/form-page/next-step.ts",
    from: "  if (errors.length + doubtful.size > 0) return { ...again, errors, doubtful };",
    to: "",
    tests: ["tests/http/form-page/steps.server.test.ts"],
  },
  {
    rule: "A number that can mean two is not stored as either",
    file: "src/fields/entered.ts",
    from: "onlyOf(read(field, values, spelling)) ??",
    to: "read(field, values, spelling)[0] ??",
    tests: ["tests/unit/control-values.test.ts", "tests/http/form-page/spelling.test.ts"],
  },
  {
    rule: "The language of the page decides between its own signs",
    file: "src/fields/spelling.ts",
    from: "[undefined, own.decimal].includes(first.decimal) &&",
    to: "false &&",
    tests: ["tests/unit/fields/spelling.test.ts"],
  },
  {
    rule: "A body is not larger than the limit, also in chunks",
    file: "src/platform/http/body.ts",
    from: "      if (size > max) throw tooLarge(max);",
    to: "",
    tests: ["tests/unit/body.test.ts", "tests/http/body.server.test.ts"],
  },
  {
    rule: "A body is nested to a depth",
    file: "src/platform/http/body.ts",
    from: "else if (isOpening && ++depth > levels)",
    to: "else if (isOpening && ++depth > levels * 1000)",
    tests: ["tests/unit/body.test.ts", "tests/http/body.server.test.ts"],
  },
  {
    rule: "A body says that it is JSON",
    file: "src/platform/http/body.ts",
    from: 'if (!isJson(request)) throw new Problem("invalid_content_type");',
    to: "",
    tests: [
      "tests/unit/body.test.ts",
      "tests/http/body.server.test.ts",
      "tests/http/grants",
      "tests/http/submit/submit.test.ts",
    ],
  },
  {
    rule: "A member that a body does not have is refused",
    file: "src/platform/http/body.ts",
    from: "  requireKnownMembers(value, shape);\n",
    to: "",
    tests: ["tests/unit/body.test.ts", "tests/http/body.server.test.ts", "tests/http/forms"],
  },
  {
    rule: "A known path with another method is 405",
    file: "src/platform/http/method-check.ts",
    from: "if (allowed.length === 0)",
    to: "if (true)",
    tests: ["tests/http/envelope-and-routing.server.test.ts"],
  },
  {
    rule: "Pages of other origins read nothing",
    file: "src/platform/http/cors.ts",
    from: "if (origin === null || !(any || known.has(origin))) return",
    to: "if (origin === null) return",
    tests: ["tests/http/cors.server.test.ts"],
  },
  {
    rule: "Browsers guess no type",
    file: "src/platform/http/security-headers.ts",
    from: '  "x-content-type-options": "nosniff",\n',
    to: "",
    tests: ["tests/http/envelope-and-routing.server.test.ts"],
  },
  {
    rule: "The client IP is what the outermost trusted proxy has added",
    file: "src/platform/http/client-ip.ts",
    from: '.split(",").at(-hops)',
    to: '.split(",").at(0)',
    tests: ["tests/unit/client-ip.test.ts", "tests/http/log.server.test.ts"],
  },
  {
    rule: "A request for another host is refused",
    file: "src/platform/http/hooks.ts",
    from: "    if (!isOwnHost(request)) throw foreignHost(request, config);\n",
    to: "",
    tests: [
      "tests/http/envelope-and-routing.server.test.ts",
      "tests/http/operators",
      "tests/http/log.server.test.ts",
    ],
  },
  {
    rule: "The log has no secrets",
    file: "src/platform/log.ts",
    from: "    hooks: { streamWrite: redact },\n",
    to: "",
    tests: ["tests/unit/log.test.ts", "tests/http/log.server.test.ts"],
  },
  {
    rule: "Metrics are for who has the token",
    file: "src/platform/ops/metrics.ts",
    from: 'isEqual(request.headers.get("authorization") ?? "", `Bearer ${token}`)',
    to: "true",
    tests: ["tests/http/metrics.server.test.ts"],
  },
  {
    rule: "Unknown credentials are limited by client IP",
    file: "src/platform/auth/unknown-callers.ts",
    from: "  if (count >= maxRequests)",
    to: "  if (count < 0)",
    tests: ["tests/unit/caller.test.ts", "tests/http/unknown-callers.server.test.ts"],
  },
  {
    rule: "A wrong command line is exit code 2",
    file: "src/cli/program.ts",
    from: "return error.exitCode === 0 ? 0 : 2;",
    to: "return error.exitCode === 0 ? 0 : 1;",
    tests: ["tests/cli/command-line.test.ts"],
  },
  {
    rule: "A doctor that finds something wrong fails",
    file: "src/cli/doctor.ts",
    from: "if (wrong.length > 0) throw new Error(`not in order",
    to: "if (wrong.length > 99) throw new Error(`not in order",
    tests: ["tests/cli/doctor.test.ts"],
  },
  {
    rule: "An export writes over no file",
    file: "src/cli/export.ts",
    from: 'await open(file, "wx", 0o600)',
    to: 'await open(file, "w", 0o600)',
    tests: ["tests/cli/export.test.ts"],
  },
  {
    rule: "A master key has 32 bytes",
    file: "src/platform/master-key.ts",
    from: 'return bytes.length === keyBytes && bytes.toString("base64") === text ?',
    to: 'return bytes.toString("base64") === text ?',
    tests: ["tests/unit/config.test.ts", "tests/unit/master-key.test.ts", "tests/cli/settings.test.ts"],
  },
  {
    rule: "A derived key is of one use and id",
    file: "src/platform/master-key.ts",
    from: "`formd/1 ${use} ${id}`, keyBytes",
    to: "`formd/1 ${use}`, keyBytes",
    tests: ["tests/unit/master-key.test.ts", "tests/http/webhooks", "tests/http/receipts"],
  },
  {
    rule: "Mail needs a sender",
    file: "src/platform/config.ts",
    from: "if (parsed.SMTP_URL && !parsed.MAIL_FROM)",
    to: "if (false)",
    tests: ["tests/unit/config.test.ts", "tests/unit/mail.server.test.ts", "tests/cli/settings.test.ts"],
  },
  {
    rule: "A message about a setting shows no secret",
    file: "src/platform/config.ts",
    from: 'holdsSecret.test(name) || name.endsWith("URL")',
    to: "false",
    tests: ["tests/unit/config.test.ts", "tests/cli/settings.test.ts"],
  },
  {
    rule: "A number is its minimum or more",
    file: "src/fields/field-type.ts",
    from: "(orderOf(value) ?? least) >= least, tooSmall",
    to: "(orderOf(value) ?? least) > least, tooSmall",
    tests: ["tests/unit/fields", "tests/http/submit/parity.test.ts", "tests/http/submit/validate.test.ts"],
  },
  {
    rule: "A text matches the form's pattern",
    file: "src/fields/types/text.ts",
    from: "isLonger(text, searchLimit) || matches(text), mismatch",
    to: "true, mismatch",
    tests: ["tests/unit/fields", "tests/http/submit/validate.test.ts"],
  },
  {
    rule: "A required field has a value",
    file: "src/fields/compile.ts",
    from: "    if (isRequired) result.missing.push(id);",
    to: "",
    tests: [
      "tests/unit/fields",
      "tests/http/submit/validate.test.ts",
      "tests/http/submit/submit.test.ts",
      "tests/http/form-page/parity.test.ts",
    ],
  },
  {
    rule: "A choice is one of the options",
    file: "src/fields/types/choice.ts",
    from: "return [valueCheck((value) => known.has(value), invalid)];",
    to: "return [];",
    tests: ["tests/unit/fields", "tests/http/submit/validate.test.ts", "tests/http/form-page/parity.test.ts"],
  },
  {
    rule: "A date is a real day",
    file: "src/fields/formats.ts",
    from: "return new Date(key).getUTCMonth() === month ? key : undefined;",
    to: "return key;",
    tests: ["tests/unit/fields", "tests/http/submit/validate.test.ts"],
  },
  {
    rule: "A field that is not asked for takes no value",
    file: "src/fields/compile.ts",
    from: "if (!rule.isEmpty(value)) result.unknown.push(notApplicableIssue(id));",
    to: "",
    tests: [
      "tests/unit/fields",
      "tests/http/submit/conditions.test.ts",
      "tests/http/form-page/conditions.test.ts",
      "tests/http/mcp/conditions.test.ts",
    ],
  },
  {
    rule: "A calculated value is the server's",
    file: "src/fields/compile.ts",
    from: "if (!rule.isEmpty(sent) && sent !== computed) {",
    to: "if (false) {",
    tests: ["tests/unit/fields", "tests/http/submit/conditions.test.ts", "tests/http/mcp/conditions.test.ts"],
  },
  {
    rule: "A dry run knows the options that are full",
    file: "src/resources/submit/validate.ts",
    from: "  found.errors.push(...fullOptionIssues(form.fields, found.data, fullOptionsIn(response)));\n",
    to: "",
    tests: ["tests/http/submit/option-limits.test.ts", "tests/http/submit/validate.test.ts"],
  },
  {
    rule: "A CSV runs no formula",
    file: "src/resources/submissions/csv.ts",
    from: '.replace(formulaStart, "$1\'")',
    to: "",
    tests: ["tests/http/submissions", "tests/http/console/submissions.test.ts"],
  },
  {
    rule: "An agent has a tool for a form that it may submit to",
    file: "src/protocols/mcp/agent-tools.ts",
    from: 'granted.filter(({ scopes }) => scopes.includes("agent:submit"))',
    to: "[...granted]",
    tests: ["tests/http/mcp/agent-tools.test.ts", "tests/http/mcp/parity.test.ts"],
  },
  {
    rule: "An owner has the tools of the key's scopes",
    file: "src/protocols/mcp/owner-tools.ts",
    from: "[...routeTools().values()].filter(({ scope }) => scopes.includes(scope));",
    to: "[...routeTools().values()];",
    tests: ["tests/http/mcp/owner-tools.test.ts"],
  },
  {
    rule: "A partition is dropped when nothing in it is of the month or later",
    file: "src/platform/database/partitions.ts",
    from: "before !== null && before <= month",
    to: "before !== null && before >= month",
    tests: ["tests/cli/partition-drop.test.ts"],
  },
  {
    rule: "No month goes while one of them has a hold",
    file: "src/platform/database/partitions.ts",
    from: 'await requireNoHolds(sql, await partitionsBefore(sql, month, "submissions"), report);',
    to: "",
    tests: ["tests/cli/partition-drop.test.ts"],
  },
  {
    rule: "Edits of a month go after their submissions",
    file: "src/platform/database/partitions.ts",
    from: '({ table, isOrphaned }) => table === "submissions" || isOrphaned,',
    to: "() => true,",
    tests: ["tests/cli/partition-drop.test.ts"],
  },
  {
    rule: "An erasure in the list is repeated once",
    file: "src/resources/persons/erasures.ts",
    from: "const lines = rows.filter(({ id }) => !known.has(id)).map(",
    to: "const lines = rows.map(",
    tests: ["tests/cli/erasures.test.ts"],
  },
  {
    rule: "A team keeps an admin",
    file: "sql/110_operators.sql",
    from: "where r.team_id = p_team and r.role = 'admin';\n  if not found then\n    perform formd.raise_problem('conflict', 'last_team_admin",
    to: "where r.team_id = p_team;\n  if not found then\n    perform formd.raise_problem('conflict', 'last_team_admin",
    tests: ["tests/sql/operators.test.ts"],
  },
  {
    rule: "No operator leaves a workspace without an admin",
    file: "sql/110_operators.sql",
    from: "if (p_actor).type = 'operator' then\n    perform from formd.workspace_roles r where r.team_id = p_team and r.workspace_id",
    to: "if false then\n    perform from formd.workspace_roles r where r.team_id = p_team and r.workspace_id",
    tests: ["tests/sql/operators.test.ts"],
  },
  {
    rule: "A link that ends notices is this server's",
    file: "src/resources/mails/unsubscribe.ts",
    from: "timingSafeEqual(mac, macOf(key, subscription))",
    to: "true || timingSafeEqual(mac, macOf(key, subscription))",
    tests: ["tests/http/mails"],
  },
  {
    rule: "An owner's text ends no script of a form's page",
    file: "src/pages/form-page/page.tsx",
    from: '.replaceAll("<", "\\\\u003c")',
    to: "",
    tests: ["tests/http/form-page/conditions.test.ts"],
  },
  {
    rule: "A report in an address is for the session that made it",
    file: "src/pages/console/frame/flash.ts",
    from: 'encoded === "" ||',
    to: 'true ? encoded === "" :',
    tests: ["tests/http/console/editor.test.ts"],
  },
  {
    rule: "A role that is taken away ends the sessions in its team",
    file: "sql/110_operators.sql",
    from: "delete from formd.operator_sessions s where s.operator_id = v_operator and s.team_id",
    to: "perform from formd.operator_sessions s where s.operator_id = v_operator and s.team_id",
    tests: ["tests/sql/operator_sessions.test.ts"],
  },
  {
    rule: "A role in another team gives a session here no right",
    file: "sql/113_operator_sessions.sql",
    from: "where r.team_id = p_team\n    and r.operator_id = operator_session_authenticate.operator_id",
    to: "where r.operator_id = operator_session_authenticate.operator_id",
    tests: ["tests/sql/operator_sessions.test.ts"],
  },
  {
    rule: "Copies that only an API key has switched on are not sent",
    file: "sql/205_publish.sql",
    from: "and p_published ? 'copy'",
    to: "and true",
    tests: ["tests/sql/mails.test.ts"],
  },
  {
    rule: "512 KiB of a schema are bytes",
    file: "sql/200_forms.sql",
    from: "octet_length(p_schema::text)",
    to: "length(p_schema::text)",
    tests: ["tests/sql/forms.test.ts"],
  },
  {
    rule: "Where all submissions were seen, counting the new ones reads none",
    file: "src/resources/forms/form-view.ts",
    from: "s.id > coalesce(w.seen_id, ${nilUuid}::uuid)",
    to: "(w.seen_id is null or s.id > w.seen_id)",
    tests: ["tests/sql/followers.test.ts"],
  },
];

const root = join(import.meta.dir, "..");
/** The program is broken, not a rule: an error of PostgreSQL's class 42, or no start. */
const broken = /^ +code: "42(?!501)|^(?:SyntaxError(?!: JSON)|ReferenceError)|the server did not start/m;
let [restore, stop] = [() => {}, () => {}];
process.on("exit", () => restore());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stop();
    process.exit(130);
  });

/** Runs tests up to the first that fails. @returns whether they pass, and what they print */
async function run(tests: string[]): Promise<{ passes: boolean; output: string }> {
  const there = tests.filter((path) => existsSync(join(root, path)));
  if (there.length === 0) throw new Error(`None of these is there: ${tests.join(", ")}`);
  const runner = [join(root, "tests/run.ts"), "--parallel=1", "--bail", "--timeout", "120000"];
  const child = spawn(process.execPath, [...runner, ...there], { cwd: root });
  stop = () => child.kill("SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { passes: code === 0, output };
}

/** The test that catches it; undefined: none does, and the output says why. */
async function catchIt({ file, from, to, tests }: Mutation): Promise<{ by?: string; output: string }> {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have this exactly once: ${from}`);
  restore = () => writeFileSync(path, text);
  writeFileSync(path, text.split(from).join(to));
  const { passes, output } = await run(tests).finally(() => restore());
  const [, by] = /^\(fail\) (?!\(unnamed\))(.+?)(?: \[[\d.]+ms\])?$/m.exec(output) ?? [];
  return passes || by === undefined || broken.test(output) ? { output } : { by, output };
}

const ranges = process.argv
  .slice(2)
  .flatMap((each) => (each.startsWith("-") ? [] : [each.split("-").map(Number)]));
const isChosen = (number: number) =>
  ranges.some(([first = 0, last = first]) => first <= number && number <= last);
const chosen = [...mutations.entries()].filter(([index]) => ranges.length === 0 || isChosen(index + 1));
if (process.argv.includes("--list"))
  for (const [index, { rule, file }] of chosen) console.log(`${index + 1}\t${file}\t${rule}`);
else if (process.argv.includes("--baseline")) {
  const { passes, output } = await run([...new Set(chosen.flatMap(([, { tests }]) => tests))]);
  console.log(passes ? "the tests pass without a mutation" : output);
  process.exitCode = passes ? 0 : 1;
} else {
  let missed = 0;
  for (const [index, mutation] of chosen) {
    const startedAt = Date.now();
    const { by, output } = await catchIt(mutation);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const evidence = by ? `by: ${by}` : output.split("\n").slice(-15).join("\n");
    console.log(`${by ? "caught" : "MISSED"} ${index + 1} (${seconds} s) ${mutation.rule}\n  ${evidence}`);
    if (!by) missed += 1;
  }
  console.log(`${chosen.length - missed} caught, ${missed} missed`);
  process.exitCode = missed > 0 ? 1 : 0;
}
