import { describe, expect, test } from "bun:test";
import { importForm } from "../../../src/resources/forms/import/sources.ts";

type Members = Record<string, unknown>;

const question = (members: Members) => ({
  title: "Q",
  itemId: "1",
  questionItem: { question: { questionId: "2", ...members } },
});
const convert = (items: Members[], members: Members = {}) =>
  importForm({ formId: "f", info: { title: "T", description: "D" }, items, ...members });
const options = [{ value: "A" }, { value: "B" }];
const ab = ["A", "B"].map((value) => ({ value, label: value }));
const choice = (type: string, list: Members[] = options) => ({ choiceQuestion: { type, options: list } });

describe("an item of Google Forms", () => {
  test.each<[item: Members, field: Members]>([
    [
      { required: true, textQuestion: {} },
      { type: "text", required: true },
    ],
    [{ textQuestion: { paragraph: true } }, { type: "textarea" }],
    [choice("RADIO"), { type: "select", options: ab }],
    [choice("RADIO", [...options, { isOther: true }]), { type: "select", options: ab, allowOther: true }],
    [choice("DROP_DOWN"), { type: "select", options: ab }],
    [choice("CHECKBOX"), { type: "multi_select", options: ab }],
    [
      { scaleQuestion: { low: 1, high: 7, lowLabel: "No", highLabel: "Yes" } },
      { type: "rating", minimum: 1, maximum: 7, minimumLabel: "No", maximumLabel: "Yes" },
    ],
    [{ scaleQuestion: { high: 10 } }, { type: "rating", minimum: 0, maximum: 10 }],
    [{ ratingQuestion: { ratingScaleLevel: 8, iconType: "STAR" } }, { type: "rating", maximum: 8 }],
    [{ dateQuestion: { includeYear: true } }, { type: "date" }],
    [{ dateQuestion: { includeYear: true, includeTime: true } }, { type: "datetime" }],
    [{ timeQuestion: {} }, { type: "time" }],
    [
      { fileUploadQuestion: { folderId: "x", maxFiles: 1, maxFileSize: "1048576", types: ["PDF", "IMAGE"] } },
      { type: "file", maxItems: 1, maxBytes: 1_048_576, accept: ["application/pdf", "image/*"] },
    ],
    [{ grading: { pointValue: 2 }, textQuestion: {} }, { type: "text" }],
  ])("%j is %j, and nothing is lost", (members, field) => {
    const { file, report } = convert([question(members)]);
    expect(file.schema.fields).toEqual([{ id: "q", label: "Q", ...field }]);
    expect(report).toEqual({
      ...{ source: "googleforms", fields: 1, converted: 1, approximated: 0, leftOut: 0, items: [] },
    });
  });

  test.each<[members: Members, type: string]>([
    [{ dateQuestion: {} }, "text"],
    [{ timeQuestion: { duration: true } }, "text"],
    [{ choiceQuestion: { type: "RADIO", options, shuffle: true } }, "select"],
    [choice("RADIO", [{ value: "A", image: { contentUri: "https://example.com" } }]), "select"],
    [{ fileUploadQuestion: { types: ["SPREADSHEET"] } }, "file"],
    [choice("RADIO", [{ value: "A" }, { value: "A" }]), "select"],
  ])("%j is kept with an item", (members, type) => {
    const { file, report } = convert([question(members)]);
    expect(file.schema.fields).toMatchObject([{ id: "q", type }]);
    expect(report).toMatchObject({ fields: 1, approximated: 1, items: [{ path: "items[0]" }] });
  });

  const grid = (type: string, required: boolean[]) => ({
    title: "Grid",
    questionGroupItem: {
      questions: required.map((each, at) => ({ required: each, rowQuestion: { title: `R${at}` } })),
      ...(type && { grid: { columns: { type, options } } }),
    },
  });
  test.each<[type: string, required: boolean[], items: string[]]>([
    ["CHECKBOX", [true, true], ["approximated type items[0]"]],
    ["RADIO", [true, false], ["approximated rule items[0]"]],
    ["", [true, false], [0, 1].map((at) => `left_out type items[0].questionGroupItem.questions[${at}]`)],
  ])("of several rows (%p, required: %p) has the items %p", (type, required, items) => {
    const { file, report } = convert([grid(type, required)]);
    expect(report.items.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual(items);
    expect(file.schema.fields.map((field) => [field.required, field.allRows])).toEqual(
      type ? [[true, required[1] || undefined]] : [],
    );
  });

  test("of an unknown kind is left out, and a picture is an item", () => {
    const { file, report } = convert([
      question({ ownQuestion: {} }),
      question({}),
      { title: "P", imageItem: { image: { sourceUri: "https://example.com" } } },
    ]);
    expect(file.schema.fields).toEqual([]);
    expect(report).toMatchObject({ fields: 2, leftOut: 2 });
    expect(report.items.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      "left_out items[0]",
      "left_out items[1]",
      "note items[2]",
    ]);
  });

  test("grids, sections, texts and the e-mail address keep their order", () => {
    const { file, report } = convert(
      [
        { title: "Text", description: "More", textItem: {} },
        grid("RADIO", [true, true]),
        { itemId: "s", pageBreakItem: {} },
        question({ textQuestion: {} }),
      ],
      { settings: { emailCollectionType: "RESPONDER_INPUT", quizSettings: { isQuiz: true } } },
    );
    expect(file).toMatchObject({ name: "T", description: "D" });
    expect(file.schema.fields).toMatchObject([
      { type: "email", required: true },
      { type: "statement", label: "Text", description: "More" },
      {
        ...{ type: "matrix", label: "Grid", required: true, allRows: true },
        rows: [{ id: "R0" }, { id: "R1" }],
        columns: [{ id: "A" }, { id: "B" }],
      },
      { type: "page_break", label: "T" },
      { type: "text", label: "Q" },
    ]);
    expect(report).toMatchObject({
      fields: 3,
      converted: 3,
      items: [{ severity: "note", path: "settings.quizSettings" }],
    });
  });
});

describe("a branch of Google Forms", () => {
  const conditionsOf = (list: Members[], sections = ["s1", "s2", "s3"]) =>
    convert([
      question(choice("RADIO", list)),
      ...sections.map((itemId) => ({ itemId, title: itemId, pageBreakItem: {} })),
    ]);
  const showIfs = (list: Members[], sections?: string[]) =>
    conditionsOf(list, sections)
      .file.schema.fields.slice(1)
      .map(({ showIf }) => showIf);
  const to = (value: string, goToSectionId: string) => ({ value, goToSectionId });

  test("is the condition of the section to which each option leads; what is after the last has none", () => {
    expect(conditionsOf([to("A", "s1"), to("B", "s2")]).report.items).toMatchObject([
      { severity: "note", path: "items", code: "condition" },
    ]);
    expect(showIfs([to("A", "s1"), to("B", "s2")])).toEqual(["data.q == 'A'", "data.q == 'B'", undefined]);
    expect(showIfs([to("A", "s1"), to("B", "s1"), to("C", "s2")], ["s1", "s2"])).toEqual([
      "data.q == 'A' || data.q == 'B'",
      "data.q == 'C'",
    ]);
  });

  test("over sections is the negated condition of these", () => {
    const notB = "!has(data.q) || data.q != 'B'";
    expect(showIfs([{ value: "A" }, to("B", "s3")])).toEqual([notB, notB, undefined]);
  });

  test("to the end is the negated condition of what follows", () => {
    const notB = "!has(data.q) || data.q != 'B'";
    expect(
      showIfs([
        { value: "A", goToAction: "NEXT_SECTION" },
        { value: "B", goToAction: "SUBMIT_FORM" },
      ]),
    ).toEqual([notB, notB, notB]);
  });

  test.each([
    [{ value: "B", goToAction: "RESTART_FORM" }],
    [{ isOther: true, goToSectionId: "s2" }],
    [to("B", "nowhere")],
  ])("with %j is quoted", (option) => {
    const { file, report } = conditionsOf([to("A", "s1"), option]);
    expect(file.schema.fields.every(({ showIf }) => showIf === undefined)).toBe(true);
    expect(report.items).toMatchObject([{ severity: "approximated", path: "items[0]", code: "condition" }]);
    expect(report.items[0]?.message).toContain('"goToSectionId":"s1"');
  });
});
