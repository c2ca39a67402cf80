/** The validation codes as Markdown: the page that every FieldError's `help` links to. */
import { fieldCodes } from "../../fields/codes.ts";

const code = (value: unknown) => `\`${JSON.stringify(value)}\``;

const sections = Object.entries(fieldCodes).map(
  ([name, { meaning, example, fix }]) => `## ${name}

${meaning}

- Field: ${code(example.field)}
- Rejected: ${code(example.rejected)}
- Accepted: ${code(example.accepted)}
- How to fix: ${fix}`,
);

export const validationCodesMarkdown = `# Validation codes

The codes of \`errors[].code\` and \`warnings[].code\`. An entry also has \`constraint\` (the violated rule) and \`expected\`
(what the rule requires), so that you can fix the value in one try.

${sections.join("\n\n")}
`;
