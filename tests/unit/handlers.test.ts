/** The handler of a route reads as a sentence: who asks, what is called, what is returned. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// Only the parser of TypeScript 5 runs in this process.
import ts from "typescript-5";

const maxLines = 15;
const source = join(import.meta.dir, "../../src");
const paths = (readdirSync(source, { recursive: true }) as string[]).filter((path) => /\.tsx?$/.test(path));

/** Elysia has `.post(path, handler, …)`; the console `"POST /path": onPost(rules, handler)`. */
const routes = /^(?:get|post|put|patch|delete|onGet|onPost)$/;
const consoleRoute = /^["'](?:GET|POST) \//;

const isFunction = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

const isConsoleRoute = (node: ts.Node) =>
  ts.isPropertyAssignment(node) && consoleRoute.test(node.name.getText());

/** Whether a function is the value of a route, or an argument of the call that defines one. */
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
  const found: { at: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (isFunction(node) && isHandler(node)) {
      const first = lineOf(node.getStart());
      found.push({ at: `${path}:${first}`, lines: lineOf(node.end) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test("a handler has at most 15 lines", () => {
  const handlers = paths.flatMap(handlersIn);
  expect(handlers.length).toBeGreaterThan(150);
  expect(handlers.filter(({ lines }) => lines > maxLines)).toEqual([]);
});
