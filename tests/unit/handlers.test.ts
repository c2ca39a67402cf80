/** The handler of a route reads as a sentence: who asks, what is called, what is returned. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// Only the parser of TypeScript 5 runs in this process.
import ts from "typescript-5";

const maxLines = 15;
const source = join(import.meta.dir, "../../src");
const paths = (readdirSync(source, { recursive: true }) as string[]).filter((path) => /\.tsx?$/.test(path));

/** Elysia has `.post(path, handler, …)`; the console `{ save: onPost(rules, handler) }`. */
const routes = /^(?:get|post|put|patch|delete|onGet|onPost)$/;

const isConsoleRoute = ({ parent }: ts.Node) =>
  parent !== undefined &&
  ts.isObjectLiteralExpression(parent) &&
  ts.isSatisfiesExpression(parent.parent) &&
  parent.parent.type.getText() === "Handlers";

/**
 * Checks whether a function, or its name, is the value of a route or an argument of the call that defines
 * one.
 */
function isHandler({ parent }: ts.Node): boolean {
  if (!ts.isCallExpression(parent)) return isConsoleRoute(parent);
  const { expression: called } = parent;
  const name = ts.isPropertyAccessExpression(called) ? called.name : called;
  return routes.test(name.getText()) || isConsoleRoute(parent.parent);
}

function handlersIn(path: string) {
  const text = readFileSync(join(source, path), "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const names = new Set<string>();
  const functions: { node: ts.Node; name: string | undefined }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isHandler(node)) names.add(node.text);
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)) {
      const declared = ts.isVariableDeclaration(node.parent) ? node.parent : node;
      functions.push({ node, name: declared.name?.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return functions
    .filter(({ node, name }) => isHandler(node) || (name !== undefined && names.has(name)))
    .map(({ node }) => ({ first: lineOf(node.getStart()), last: lineOf(node.end) }))
    .map(({ first, last }) => ({ at: `${path}:${first}`, lines: last - first + 1 }));
}

test("a handler has at most 15 lines", () => {
  const handlers = paths.flatMap(handlersIn);
  expect(handlers.length).toBeGreaterThan(150);
  expect(handlers.filter(({ lines }) => lines > maxLines)).toEqual([]);
});
