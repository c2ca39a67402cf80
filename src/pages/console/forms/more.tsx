/** Rare matters of a form: for programs, its versions, and its records. */
import { readVersions, type Version } from "../../../resources/forms/publish.ts";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet } from "../frame/handler.ts";
import { useMay, useSections } from "../frame/layout.tsx";
import { Copied, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.more;

const ForPrograms = ({ form, api }: { form: FormView; api: string }) => (
  <Section title={frameText.forPrograms} hint={formsText.accessKeys.hint}>
    <Copied label={words.id} value={form.id} />
    <Copied label={words.api} value={api} />
    <LinkLine class="button quiet" href={pathOfForm(form, "accessKeys")} label={words.keys} />
    <LinkLine href="/developer" label={words.docs} />
  </Section>
);

const Versions = ({ versions }: { versions: readonly Version[] }) => {
  const { versions: title, noVersions, version, by, at } = formsText.publish;
  return (
    <Section title={title}>
      {versions.length === 0 ? (
        <p class="quiet">{noVersions}</p>
      ) : (
        <Table
          rows={versions}
          keyOf={({ version }) => version}
          columns={[
            { head: version, isHeader: true, cell: ({ version }) => `v${version}` },
            { head: by, dir: "auto", cell: ({ publishedBy }) => publishedBy ?? frameText.actors.cli },
            { head: at, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
          ]}
        />
      )}
    </Section>
  );
};

/** Links to records of the form and its submissions. */
const Records = ({ form }: { form: FormView }) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const maySeeWebhooks = useMay("webhook.changed", form.workspaceId);
  const { audit, webhooks } = useSections();
  const links = [
    audit && { href: `${audit}?formId=${form.id}`, label: words.audit },
    { href: pathOfForm(form, "mails"), label: words.mails },
    maySet && { href: `${pathOfForm(form, "settings")}#retention-heading`, label: words.holds },
    maySeeWebhooks && { href: `${webhooks}?formId=${form.id}`, label: words.webhooks },
  ];
  return (
    <Section title={words.records}>
      {links.map((link) => link && <LinkLine key={link.href} {...link} />)}
    </Section>
  );
};

export const morePages = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    const versions = await readVersions(view.deps.sql, form);
    return formPage(
      form,
      "more",
      formText.form.more,
      <>
        <ForPrograms form={form} api={`${view.deps.config.BASE_URL}/papi/v1/submitter/form`} />
        <Versions versions={versions} />
        <Records form={form} />
      </>,
    );
  }),
} satisfies Handlers;
