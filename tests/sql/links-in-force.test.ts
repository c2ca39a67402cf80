// stacks: one
/** Links of respondents in the settings in effect: what narrows acts at once, what widens waits. */
import { expect, test } from "bun:test";
import { isLeading } from "../../src/resources/forms/settings-changes.ts";
import { sqlFixture } from "./fixture.ts";

const { sql } = await sqlFixture();

/** Settings in effect, of the published ones and those of a patch. */
async function inForce(published: object, current: object) {
  const [row] = await sql<[{ inForce: { page: Record<string, object | string>; invitations?: object } }]>`
    select formd.settings_in_force(formd.settings_to_publish(${sql.json(published as never)}),
      ${sql.json(current as never)}) as in_force`;
  return row.inForce;
}

const page = (members: object) => ({ page: { enabled: true, ...members } });

test.each([
  [{}, { enabled: true, days: 30 }, { enabled: false, days: 14 }],
  [{ enabled: true }, { enabled: true, days: 90 }, { enabled: true, days: 14 }],
  [{ enabled: true, days: 90 }, { enabled: true }, { enabled: true, days: 14 }],
  [
    { enabled: true, days: 30 },
    { enabled: true, days: 7 },
    { enabled: true, days: 7 },
  ],
  [{ enabled: true, days: 30 }, { enabled: false }, { enabled: false, days: 14 }],
  [{ enabled: true }, null, undefined],
])("resume, published %j and patched to %j, is %j", async (published, current, expected) => {
  const found = await inForce(page({ resume: published }), page({ resume: current }));
  expect(found.page.resume).toEqual(expected as never);
});

test.each([
  [{}, { until: "P2D" }, {}],
  [null, { until: "closes" }, {}],
  [{ until: "P2D" }, { until: "P3D" }, { until: "P2D" }],
  [{ until: "P3D" }, { until: "P2D" }, { until: "P2D" }],
  [{ until: "P1W" }, { until: "P7D" }, { until: "P7D" }],
  [{ until: "P2D" }, { until: "closes" }, { until: "P2D" }],
  [{ until: "closes" }, { until: "P2D" }, { until: "closes" }],
  [{ until: "P2D", withdraw: true }, {}, {}],
  [{ until: "P2D", withdraw: true }, null, undefined],
])("change, published %j and patched to %j, is %j", async (published, current, expected) => {
  const found = await inForce(page({ change: published }), page({ change: current }));
  expect(found.page.change).toEqual((expected && { withdraw: false, ...expected }) as never);
});

test("taking a submission back waits as changing does, and goes at once", async () => {
  const at = async (from: boolean, to: boolean) =>
    (
      await inForce(
        page({ change: { until: "P2D", withdraw: from } }),
        page({ change: { until: "P2D", withdraw: to } }),
      )
    ).page.change;
  expect(await at(false, true)).toEqual({ until: "P2D", withdraw: false });
  expect(await at(true, false)).toEqual({ until: "P2D", withdraw: false });
  expect(await at(true, true)).toEqual({ until: "P2D", withdraw: true });
});

test("a page for invited people opens to others, and an anonymous form names them, once it is published", async () => {
  const invited = { ...page({ access: "invited" }), invitations: { anonymous: true } };
  const open = { ...page({ access: "anyone" }), invitations: { anonymous: false } };
  const { page: shown, invitations } = await inForce(invited, open);
  expect([shown.access, invitations]).toEqual(["invited", { anonymous: true }]);
  const narrowed = await inForce(open, invited);
  expect([narrowed.page.access, narrowed.invitations]).toEqual(["invited", { anonymous: true }]);
  expect([isLeading(invited as never, open as never), isLeading(open as never, invited as never)]).toEqual([
    true,
    false,
  ]);
});
