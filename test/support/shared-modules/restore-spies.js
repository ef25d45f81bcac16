// Runs before each test file: a spy on a shared module would remain for the worker's next files.
afterAll(() => jest.restoreAllMocks());
