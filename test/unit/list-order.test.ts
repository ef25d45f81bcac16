import { ID, listOrder, NEWEST_FIRST, TIME } from "../../src/domain/paging/list-order";
import { type Page, readPage, takePage } from "../../src/domain/paging/page";
import { timePart } from "../../src/domain/paging/time-filter";
import type { KeysetRange } from "../../src/platform/store/rows/keyset";

interface Entry {
  at: Date;
  id: number;
}

const BY_TIME = listOrder([TIME, ID], "descending", ({ at, id }: Entry) => [at, id]);

/** Seven entries, newest first; two happened at the same time. */
const ENTRIES: Entry[] = [70, 60, 50, 50, 30, 20, 10].map((at, index) => ({
  at: new Date(at),
  id: 7 - index,
}));
const ids = ({ nodes }: Page<Entry>) => nodes.map(({ id }) => id);
const cursor = (id: number) => {
  const entry = ENTRIES.find((each) => each.id === id);
  return entry ? BY_TIME.cursorOf(entry) : "";
};

/** Reads a range as the database does. */
async function read({ above, below, descending, limit }: KeysetRange<readonly [Date, number]>) {
  const within = ENTRIES.filter((entry) => {
    const position = BY_TIME.positionOf(entry);
    return BY_TIME.compare(position, above) > 0 && BY_TIME.compare(position, below) < 0;
  });
  if (!descending) within.reverse();
  return within.slice(0, limit);
}

describe.each([
  ["readPage", (page: object) => readPage(page, BY_TIME, read)],
  ["takePage", async (page: object) => takePage(ENTRIES, page, BY_TIME)],
] as const)("%s", (_, page) => {
  test.each([
    [{}, [7, 6, 5, 4, 3, 2, 1], false, false],
    [{ first: 2 }, [7, 6], true, false],
    [{ first: 2, after: cursor(5) }, [4, 3], true, true],
    [{ last: 2 }, [2, 1], false, true],
    [{ last: 2, before: cursor(4) }, [6, 5], true, true],
    [{ after: cursor(6), before: cursor(2) }, [5, 4, 3], false, true],
    [{ first: 1, before: cursor(4) }, [7], true, false],
    [{ last: 1, after: cursor(4) }, [1], false, true],
    [{ after: cursor(1) }, [], false, true],
  ])("of %j", async (request, expected, hasNextPage, hasPreviousPage) => {
    const found = await page(request);
    expect(ids(found)).toEqual(expected);
    expect(found).toMatchObject({ hasNextPage, hasPreviousPage });
  });

  test.each([
    [{ after: "" }, "after"],
    [{ after: "7" }, "after"],
    [{ after: "50-" }, "after"],
    [{ after: "-5" }, "after"],
    [{ before: "50-0" }, "before"],
    [{ before: "50-5-5" }, "before"],
    [{ before: "1e3-5" }, "before"],
    [{ before: "999999999999999-5" }, "before"],
    [{ first: 1, last: 1 }, "last"],
    [{ first: 0 }, "first"],
  ])("refuses %j", async (request, field) => {
    await expect((async () => page(request))()).rejects.toMatchObject({
      code: "INVALID",
      fields: { [field]: expect.anything() },
    });
  });
});

test.each([
  [{ since: new Date(50) }, {}, [7, 6, 5, 4]],
  [{ until: new Date(50) }, {}, [3, 2, 1]],
  [{ since: new Date(20), until: new Date(60) }, { after: cursor(5) }, [4, 3, 2]],
  // A cursor outside of the part does not widen it.
  [{ until: new Date(50) }, { after: cursor(6) }, [3, 2, 1]],
  [{ since: new Date(50) }, { before: cursor(1) }, [7, 6, 5, 4]],
])("a part of a list: %j, page %j", async (filter, page, expected) => {
  expect(ids(await readPage(page, BY_TIME, read, timePart(filter)))).toEqual(expected);
});

test.each([new Date(-1), new Date("9999-01-02")])("a time out of range: %s", (since) => {
  expect(() => timePart({ since })).toThrow("since");
});

test("the cursor of a list by id is the id", () => {
  expect(NEWEST_FIRST.cursorOf({ id: 12 })).toBe("12");
  expect(NEWEST_FIRST.decode("12")).toEqual([12]);
});
